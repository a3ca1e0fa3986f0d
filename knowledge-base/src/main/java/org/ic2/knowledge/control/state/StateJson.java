// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.learn.RecentCost;
import org.ic2.knowledge.control.learn.RequestCostModel;
import org.ic2.knowledge.control.learn.Unrest;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.SettingsJson;
import org.ic2.runtime.knob.Vocabulary;

/** The JSON form of a {@link ControllerState}: its parts and theirs, by name, but for fast sampling, which a restart ends. */
public final class StateJson {
    /** Numbers of a {@link CapacityLeft}, but for its time. */
    private static final int SUMS = 6;

    private StateJson() {
    }

    /** The state as a tree. */
    public static ObjectNode tree(ControllerState state) {
        ObjectNode node = Json.object();
        node.put("state", state.state().name()).put("sequence", state.sequence()).put("now", state.now()).put("wall", state.wall());
        SettingsJson.putByKey(node.putObject("configuration"), state.configuration());
        put(node.putObject("learning"), state.learning());
        ActionHistory ledger = state.ledger();
        ObjectNode actions = node.putObject("ledger").put("last", ledger.last());
        ArrayNode lastHour = actions.putArray("lastHour");
        ledger.lastHour().forEach(lastHour::add);
        actions.put("failures", ledger.failures());
        putPassing(node, state);
        Backoff backoff = state.backoff();
        node.putObject("backoff").put("relapses", backoff.relapses()).put("lastBack", backoff.lastBack())
                .put("steppedDown", backoff.steppedDown());
        if (part((ObjectNode) node.get("backoff"), "probe", backoff.probe())) {
            ((ObjectNode) node.get("backoff")).putObject("probe").put("until", backoff.probe().until()).put("slow", backoff.probe().slow())
                    .put("requests", backoff.probe().requests());
        }
        put(node, "refusal", state.refusal());
        Counters counters = state.counters();
        ObjectNode counts = node.putObject("counters").put("usable", counters.usable()).put("lastUsable", counters.lastUsable())
                .put("slow", counters.slow()).put("waiting", counters.waiting()).put("foreign", counters.foreign());
        if (counters.context() > 0) {
            counts.put("context", counters.context());
        }
        node.put("manual", state.manual());
        putGathering(node, state.gathering());
        put(node.putObject("reliefs"), state.reliefs());
        if (state.share() != null) {
            put(node.putObject("share"), state.share());
        }
        if (!state.harm().equals(HarmMemory.none())) {
            put(node.putObject("harm"), state.harm());
        }
        return node;
    }

    private static void putPassing(ObjectNode node, ControllerState state) {
        Pending pending = state.pending();
        if (part(node, "pending", pending)) {
            ObjectNode to = node.putObject("pending");
            SettingsJson.putByKey(to.putObject("previous"), pending.previous());
            to.put("since", pending.since());
        }
        Episode episode = state.episode();
        if (part(node, "episode", episode)) {
            ObjectNode to = node.putObject("episode").put("since", episode.since()).put("confirmed", episode.confirmed())
                    .put("believed", episode.believed());
            episode.signals().forEach(to.putArray("signals")::add);
            to.put("queueWait", episode.queueWait());
            if (episode.apart()) {
                to.put("apart", true);
            }
        }
    }

    private static void putGathering(ObjectNode node, SampleAccumulator gathering) {
        if (part(node, "gathering", gathering)) {
            ObjectNode to = node.putObject("gathering").put("epoch", gathering.epoch()).put("heard", gathering.heard())
                    .put("seconds", gathering.seconds());
            ObjectNode sums = to.putObject("sums");
            gathering.sums().forEach((metric, value) -> sums.put(metric.name(), value));
            ObjectNode latest = to.putObject("latest");
            gathering.latest().forEach((metric, value) -> latest.put(metric.name(), value));
        }
    }

    /** Whether there is one; where there is none, that is said. */
    private static boolean part(ObjectNode node, String name, Object part) {
        if (part == null) {
            node.putNull(name);
        }
        return part != null;
    }

    private static void put(ObjectNode node, String name, Refusal refusal) {
        if (part(node, name, refusal)) {
            node.putObject(name).put("reason", refusal.reason()).put("until", refusal.until()).put("since", refusal.since());
        }
    }

    private static void put(ObjectNode node, MetricBaseline learning) {
        ObjectNode windows = node.putObject("windows");
        learning.windows().forEach((metric, window) -> put(windows, metric.name(), window.values()));
        node.put("accepted", learning.accepted());
        RequestCostModel mix = learning.persisted();
        if (mix != null) {
            ObjectNode to = node.putObject("mix").put("count", mix.count());
            put(to, "products", mix.products());
            put(to, "moments", mix.moments());
        }
        RecentCost recent = learning.recent();
        if (recent != null) {
            node.putObject("recent").put("used", recent.used()).put("expected", recent.expected()).put("at", recent.at());
        }
        if (!learning.unrest().equals(Unrest.none())) {
            node.putObject("unrest").put("doubtful", learning.unrest().doubtful()).put("always", learning.unrest().always());
        }
        if (learning.requests() != null) {
            node.put("requests", learning.requests());
        }
    }

    private static void put(ObjectNode node, LevelEffects reliefs) {
        ObjectNode learned = node.putObject("learned");
        reliefs.learned().forEach((level, window) -> put(learned, level, window.values()));
        put(node, "beside", reliefs.beside().values());
        node.put("since", reliefs.since()).put("level", reliefs.level());
        put(node, "here", reliefs.here().values());
    }

    private static void put(ObjectNode node, ShareMemory share) {
        CapacityLeft capacity = share.capacity();
        put(node, "capacity", new double[] {capacity.stolen(), capacity.used(), capacity.worked(), capacity.operations(),
            capacity.price(), capacity.seconds()});
        node.put("at", capacity.at());
        ArrayNode moves = node.putArray("moves");
        share.moves().forEach(moves::add);
        node.put("held", share.held()).put("then", share.then()).put("failed", share.failed());
    }

    private static void put(ObjectNode node, HarmMemory harm) {
        node.put("state", harm.state().name()).put("confirmed", harm.confirmed()).put("since", harm.since())
                .put("changed", harm.changed()).put("heard", harm.heard()).put("suffered", harm.suffered())
                .put("felt", harm.felt()).put("turned", harm.turned()).put("other", name(harm.other())).put("seen", harm.seen()).put("acted", name(harm.acted()))
                .put("postponed", name(harm.postponed()));
        put(node, "noWall", harm.noWall());
        if (part(node, "finding", harm.finding())) {
            ObjectNode finding = node.putObject("finding").put("cause", harm.finding().cause().name())
                    .put("confidence", harm.finding().confidence().name());
            ArrayNode evidence = finding.putArray("evidence");
            harm.evidence().forEach(evidence::add);
        }
    }

    private static String name(Cause cause) {
        return cause == null ? null : cause.name();
    }

    private static void put(ObjectNode node, String name, double[] values) {
        ArrayNode numbers = node.putArray(name);
        for (double value : values) {
            numbers.add(value);
        }
    }

    /**
     * The state that a tree is.
     *
     * @throws IllegalArgumentException if a part is missing, unknown or impossible
     */
    public static ControllerState state(JsonNode tree, Vocabulary vocabulary) {
        StatePart all = StatePart.of("state", tree, "state", "sequence", "now", "wall", "configuration", "learning", "ledger", "pending", "episode",
                "backoff", "refusal", "counters", "manual", "gathering", "reliefs", "watch", "share", "harm");
        StatePart ledger = all.needed("ledger", "last", "lastHour", "failures");
        StatePart backoff = all.needed("backoff", "relapses", "lastBack", "steppedDown", "probe");
        StatePart counters = all.needed("counters", "usable", "lastUsable", "slow", "waiting", "foreign", "context");
        return new ControllerState(State.valueOf(StatePart.text(all.get("state"))), all.whole("sequence"), all.whole("now"), all.whole("wall"),
                configuration(all, vocabulary), learning(all),
                new ActionHistory(ledger.whole("last"), ledger.elements("lastHour").map(StatePart::whole).toList(), ledger.small("failures")),
                pending(all.part("pending", "previous", "since"), vocabulary), episode(all),
                new Backoff(backoff.small("relapses"), backoff.whole("lastBack"), backoff.flag("steppedDown"),
                        probe(backoff.part("probe", "until", "slow", "requests"))),
                refusal(all.part("refusal", "reason", "until", "since")),
                new Counters(counters.small("usable"), counters.whole("lastUsable"), counters.small("slow"), counters.small("waiting"),
                        counters.small("foreign"), counters.has("context") ? counters.small("context") : 0),
                all.text("manual"), gathering(all), reliefs(all), null, share(all), harm(all));
    }

    private static Settings configuration(StatePart all, Vocabulary vocabulary) {
        Settings running = SettingsJson.readByKey(all.get("configuration"), vocabulary);
        if (running.isEmpty()) {
            throw new IllegalArgumentException("configuration: nothing is in it that is known");
        }
        return running;
    }

    private static MetricBaseline learning(StatePart all) {
        StatePart learning = all.needed("learning", "windows", "accepted", "mix", "recent", "requests", "unrest");
        Map<Metric, MedianWindow> windows = new EnumMap<>(Metric.class);
        learning.fields("windows").forEach((name, window) -> windows.put(Metric.valueOf(name), MedianWindow.of(StatePart.numbers(window))));
        StatePart mix = learning.part("mix", "count", "products", "moments");
        StatePart recent = learning.part("recent", "used", "expected", "at");
        StatePart unrest = learning.part("unrest", "doubtful", "always");
        return new MetricBaseline(windows, learning.whole("accepted"),
                mix == null ? null : RequestCostModel.of(mix.small("count"), mix.numbers("products"), mix.numbers("moments")),
                recent == null ? null : new RecentCost(recent.number("used"), recent.number("expected"), recent.whole("at")),
                learning.text("requests"), unrest == null ? Unrest.none() : new Unrest(unrest.small("doubtful"), unrest.flag("always")));
    }

    private static Pending pending(StatePart pending, Vocabulary vocabulary) {
        return pending == null ? null : new Pending(SettingsJson.readByKey(pending.get("previous"), vocabulary), pending.whole("since"));
    }

    private static Episode episode(StatePart all) {
        StatePart episode = all.part("episode", "since", "confirmed", "believed", "signals", "queueWait", "apart");
        return episode == null ? null : new Episode(episode.whole("since"), episode.whole("confirmed"), episode.whole("believed"),
                episode.elements("signals").map(StatePart::text).toList(), episode.number("queueWait"), episode.has("apart") && episode.flag("apart"));
    }

    private static Probe probe(StatePart probe) {
        return probe == null ? null : new Probe(probe.whole("until"), probe.whole("slow"), probe.number("requests"));
    }

    private static Refusal refusal(StatePart refusal) {
        return refusal == null ? null : new Refusal(refusal.text("reason"), refusal.whole("until"), refusal.whole("since"));
    }

    private static SampleAccumulator gathering(StatePart all) {
        StatePart gathering = all.part("gathering", "epoch", "heard", "seconds", "sums", "latest");
        return gathering == null ? null : new SampleAccumulator(gathering.whole("epoch"), gathering.whole("heard"), gathering.number("seconds"),
                figures(gathering.fields("sums")), figures(gathering.fields("latest")));
    }

    private static Map<Metric, Double> figures(Map<String, JsonNode> fields) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        fields.forEach((name, value) -> figures.put(Metric.valueOf(name), StatePart.number(value)));
        return figures;
    }

    private static LevelEffects reliefs(StatePart all) {
        StatePart reliefs = all.needed("reliefs", "learned", "beside", "since", "level", "here");
        Map<String, MedianWindow> learned = new LinkedHashMap<>();
        reliefs.fields("learned").forEach((level, window) -> learned.put(level, MedianWindow.of(StatePart.numbers(window))));
        return new LevelEffects(learned, reliefs.window("beside"), reliefs.whole("since"), reliefs.text("level"), reliefs.window("here"));
    }

    private static HarmMemory harm(StatePart all) {
        StatePart harm = all.part("harm", "state", "confirmed", "since", "changed", "heard", "suffered", "felt", "turned", "other", "seen", "acted", "postponed",
                "noWall", "finding");
        if (harm == null) {
            return null;
        }
        StatePart finding = harm.part("finding", "cause", "confidence", "evidence");
        return new HarmMemory(State.valueOf(StatePart.text(harm.get("state"))), harm.flag("confirmed"), harm.whole("since"),
                harm.whole("changed"), harm.whole("heard"), harm.whole("suffered"),
                StatePart.text(harm.get("felt")), finding == null ? null : new CauseFinding(Cause.valueOf(StatePart.text(finding.get("cause"))),
                CauseFinding.Confidence.valueOf(StatePart.text(finding.get("confidence"))), finding.elements("evidence").map(StatePart::text).toList()),
                harm.whole("turned"), cause(harm, "other"), harm.small("seen"), cause(harm, "acted"), cause(harm, "postponed"),
                refusal(harm.part("noWall", "reason", "until", "since")));
    }

    private static Cause cause(StatePart harm, String key) {
        return harm.has(key) ? Cause.valueOf(harm.text(key)) : null;
    }

    private static ShareMemory share(StatePart all) {
        StatePart share = all.part("share", "capacity", "at", "moves", "held", "then", "failed");
        if (share == null) {
            return null;
        }
        double[] sums = share.numbers("capacity");
        if (sums == null || sums.length != SUMS) {
            throw new IllegalArgumentException("share: expected a capacity of " + SUMS + " numbers");
        }
        return new ShareMemory(new CapacityLeft(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], share.whole("at")),
                share.elements("moves").map(StatePart::whole).toList(), share.small("held"), share.number("then"), share.whole("failed"));
    }
}
