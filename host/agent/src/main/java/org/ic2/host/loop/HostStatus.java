// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Supplier;
import org.ic2.host.fleet.FleetJson;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.ProposalJson;
import org.ic2.host.model.Target;
import org.ic2.runtime.json.Json;

/** The agent at a glance, for {@code ic2-host status} and {@code /status}. */
final class HostStatus implements Supplier<ObjectNode> {

    private final Supplier<HostLoop> loop;

    HostStatus(Supplier<HostLoop> loop) {
        this.loop = loop;
    }

    @Override
    public ObjectNode get() {
        HostLoop now = loop.get();
        ObjectNode json = Json.object().put("backend", now.config().backend().type()).put("mode", now.config().mode().toString())
                .put("config", now.config().source().toString());
        now.manual().ifPresent(manual -> json.put("manual", manual));
        if (!now.fault().isEmpty()) {
            json.put("fault", now.fault());
        }
        now.journalFailure().ifPresent(failure -> json.put("journal_failure", failure));
        if (!now.kills().alerts().isEmpty()) {
            ArrayNode alerts = json.putArray("alerts");
            now.kills().alerts().forEach(alerts::add);
        }
        now.last().ifPresent(turn -> put(json, turn, now.refused()));
        return json;
    }

    private static void put(ObjectNode json, HostTurn turn, List<String> refused) {
        json.put("time", turn.sample().time().toString()).put("actions_in_last_hour", turn.actions())
                .put("decision_seconds", turn.decideNanos() / 1e9);
        ObjectNode host = json.putObject("host");
        for (HostMetric metric : HostMetric.values()) {
            putNumber(host, metric.key(), turn.sample().get(metric));
        }
        ArrayNode guests = json.putArray("guests");
        turn.sample().guests().forEach(guest -> guests.add(guest(guest, turn)));
        ArrayNode pools = json.putArray("pools");
        turn.view().pools().forEach(pool -> {
            ObjectNode one = pools.addObject().put("name", pool.name()).put("scheduler", pool.scheduler()).put("cpus", pool.cpus().size());
            ObjectNode knobs = one.putObject("knobs");
            for (KnobKind kind : KnobKind.values()) {
                if (kind.ofPool()) {
                    turn.value(GuestKnob.of(kind, pool)).ifPresent(value -> knobs.put(kind.key(), value));
                }
            }
        });
        ArrayNode wanted = json.putArray("wanted");
        turn.decided().proposals().forEach(proposal -> wanted.add(ProposalJson.write(proposal)));
        ArrayNode held = json.putArray("held");
        turn.held().forEach(held::add);
        ArrayNode left = json.putArray("left_alone");
        turn.givenUp().values().forEach(left::add);
        refused.forEach(left::add);
        FleetJson.put(json, turn.seen().own());
        turn.seen().fleet().ifPresent(fleet -> {
            json.set("fleet", FleetJson.write(fleet));
            fleet.left().forEach(left::add);
        });
    }

    private static ObjectNode guest(Guest guest, HostTurn turn) {
        ObjectNode json = Json.object().put("name", guest.name()).put("id", guest.id()).put("uuid", guest.uuid())
                .put("class", guest.guestClass().name()).put("vcpus", guest.vcpus());
        ObjectNode metrics = json.putObject("metrics");
        for (GuestMetric metric : GuestMetric.values()) {
            putNumber(metrics, metric.key(), turn.sample().get(guest, metric));
        }
        ObjectNode knobs = json.putObject("knobs");
        for (KnobKind kind : KnobKind.values()) {
            if (kind.scope() == KnobKind.Scope.VCPU) {
                putVcpus(knobs, kind, guest, turn);
            } else if (!kind.ofPool()) {
                turn.value(GuestKnob.of(kind, guest)).ifPresent(value -> knobs.put(kind.key(), value));
            }
        }
        return json;
    }

    /** By the number of the virtual CPU. */
    private static void putVcpus(ObjectNode knobs, KnobKind kind, Guest guest, HostTurn turn) {
        ObjectNode values = Json.object();
        GuestKnob.all(kind, guest).forEach(knob -> turn.value(knob).ifPresent(value ->
                values.put(Integer.toString(((Target.OfVcpu) knob.target()).number()), value)));
        if (!values.isEmpty()) {
            knobs.set(kind.key(), values);
        }
    }

    private static void putNumber(ObjectNode json, String key, double value) {
        if (!Double.isNaN(value)) {
            json.put(key, value);
        }
    }
}
