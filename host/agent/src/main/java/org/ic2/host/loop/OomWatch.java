// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.loop.Mode;

/**
 * Guests of which the kernel killed a process for want of memory. One kill is enough: whatever the cause was, nothing of such a
 * guest is moved any more before a person says so. Not thread-safe but for what is told.
 */
final class OomWatch {

    private static final Logger LOG = Logger.getLogger(OomWatch.class.getName());
    private static final int MOST_ALERTS = 100;

    private final Mode mode;
    private final Applier applier;
    private final Consumer<Entry> journal;
    /** Who is left alone, and why, by uuid. */
    private final Map<String, String> held = new LinkedHashMap<>();
    /** What no turn has heard of yet, by uuid. */
    private final Map<String, Long> fresh = new LinkedHashMap<>();
    /** Kills of the host that are no guest's as far as is known, of this turn and of the one before. */
    private long unknown;
    private long unknownBefore;
    private List<Guest> seen = List.of();
    private volatile Map<String, Long> totals = Map.of();
    private volatile List<String> alerts = List.of();

    OomWatch(Mode mode, Applier applier, Consumer<Entry> journal) {
        this.mode = mode;
        this.applier = applier;
        this.journal = journal;
    }

    /** Who was left alone by the agent before is left alone by this one. */
    void recall(List<Line> history) {
        for (Line line : history) {
            if (line.entry() instanceof Entry.Decided decided && decided.action().equals(Entry.Decided.OOM_KILL)
                    && decided.mode().equals(Mode.ACT.toString())) {
                held.put(decided.id(), decided.reason().split(";", 2)[0]);
                add(decided.time() + " " + decided.reason());
            }
        }
    }

    /** Takes note of kills, also in a turn of which nothing comes. */
    void count(HostSample sample) {
        double ofHost = sample.get(HostMetric.MEM_OOM_KILLS);
        unknown += Double.isNaN(ofHost) ? 0 : Math.round(ofHost);
        for (Guest guest : sample.guests()) {
            double kills = sample.get(guest, GuestMetric.MEM_OOM_KILLS);
            if (kills > 0) {
                fresh.merge(guest.uuid(), Math.round(kills), Long::sum);
                unknown = Math.max(0, unknown - Math.round(kills));
            }
        }
    }

    /**
     * Of each guest of which samples told kills all goes to the baseline and stays there until a person hands it back. What of it
     * is not there yet is tried again each turn.
     */
    void look(HostSample sample, String turn, Instant now) throws InterruptedException {
        for (Guest guest : sample.guests()) {
            Long kills = fresh.remove(guest.uuid());
            if (kills != null) {
                Map<String, Long> more = new LinkedHashMap<>(totals);
                more.merge(guest.uuid(), kills, Long::sum);
                totals = more;
                killed(guest, kills, turn, now);
            } else if (isHeld(guest)) {
                RestoreResult result = applier.leave(turn, guest, held.get(guest.uuid()));
                result.restored().forEach(knob -> LOG.info("restored " + knob));
            }
        }
        fresh.clear();
        gone(sample, now);
    }

    /** A kill that ends a guest takes the counter of its group with it. Its group may go some time after the kill. */
    private void gone(HostSample sample, Instant now) {
        long kills = unknown + unknownBefore;
        Set<String> there = sample.guests().stream().map(Guest::uuid).collect(Collectors.toSet());
        for (Guest guest : seen) {
            if (kills > 0 && !there.contains(guest.uuid())) {
                alert(guest, now, "OOM_GONE", guest.name() + " has gone while the kernel killed " + kills
                        + " processes of no known guest for want of memory");
            }
        }
        seen = List.copyOf(sample.guests());
        unknownBefore = unknown;
        unknown = 0;
    }

    /** After the machine has booted a control group's number may be another's. */
    private boolean isHeld(Guest guest) {
        return mode == Mode.ACT && held.getOrDefault(guest.uuid(), "").startsWith(guest.name() + ": ");
    }

    private void killed(Guest guest, long kills, String turn, Instant now) throws InterruptedException {
        String why = guest.name() + ": the kernel killed " + kills + " of its processes for want of memory";
        if (mode != Mode.ACT) {
            alert(guest, now, Entry.Decided.OOM_KILL, why);
            return;
        }
        held.put(guest.uuid(), why);
        alert(guest, now, Entry.Decided.OOM_KILL, why + "; " + applier.leave(turn, guest, why).text() + "; \"ic2-host resume\" takes it over again");
    }

    private void alert(Guest guest, Instant now, String action, String text) {
        LOG.severe(text);
        add(now + " " + text);
        journal.accept(new Entry.Decided(now, guest.uuid(), mode.toString(), action, text, Optional.empty()));
    }

    private void add(String alert) {
        List<String> more = new ArrayList<>(alerts);
        more.add(alert);
        alerts = List.copyOf(more.subList(Math.max(0, more.size() - MOST_ALERTS), more.size()));
    }

    /** A person has seen to it. */
    void resume() {
        held.clear();
        alerts = List.of();
    }

    List<String> alerts() {
        return alerts;
    }

    /** Kills of a guest since the agent started. */
    long total(Guest guest) {
        return totals.getOrDefault(guest.uuid(), 0L);
    }
}
