// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.training.data.Run;

/**
 * What one run shall be.
 *
 * @param id        its name, also the name of its folder
 * @param kind      what it is made for: {@code phase-1}, {@code evaluation}, {@code surge}, ...
 * @param length    the measured time
 * @param users     emulated users
 * @param seed      of the load; the same seed gives the same load
 * @param neighbours the neighbours: none, one, or several with schedules that go together
 * @param agent     how the agent takes part
 * @param changes   what happens on the way, in order
 * @param host      what ic2-host moves of tier and neighbour, while it tells and hears the agent; empty without one
 * @param readings  when the counters of tier and machine are read, in order; if ever, the measured time begins with one of
 *                  the load's intervals, and so do the neighbours' schedules
 */
public record RunPlan(String id, String kind, Duration length, int users, long seed, List<NeighbourPlan> neighbours,
        AgentArm agent, Optional<HostLever> host, List<Change> changes, List<Duration> readings) {
    /** What the fact {@code agent} says if none ran. */
    static final String OFF = "off";

    public RunPlan {
        if (!id.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,80}")) {
            throw new IllegalArgumentException("run: expected a name of letters, digits, '.', '_' and '-', got '" + id + "'");
        }
        neighbours = List.copyOf(neighbours);
        readings = readings.stream().sorted().toList();
        changes = changes.stream().sorted(Comparator.comparing(Change::at)).toList();
    }

    /** A run without readings of the counters. */
    public RunPlan(String id, String kind, Duration length, int users, long seed, Optional<NeighbourPlan> neighbour,
            AgentArm agent, List<Change> changes) {
        this(id, kind, length, users, seed, neighbour.stream().toList(), agent, changes, List.of());
    }

    /** A run without a host's agent. */
    public RunPlan(String id, String kind, Duration length, int users, long seed, List<NeighbourPlan> neighbours, AgentArm agent,
            List<Change> changes, List<Duration> readings) {
        this(id, kind, length, users, seed, neighbours, agent, Optional.empty(), changes, readings);
    }

    /** The same with ic2-host, or without. */
    public RunPlan withHost(Optional<HostLever> lever) {
        return new RunPlan(id, kind, length, users, seed, neighbours, agent, lever, changes, readings);
    }

    /** The same under another name. */
    public RunPlan named(String other) {
        return new RunPlan(other, kind, length, users, seed, neighbours, agent, host, changes, readings);
    }

    /** What the run's file says about the plan. */
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(Run.KIND, kind);
        facts.put("seconds", Long.toString(length.toSeconds()));
        facts.put("users", Integer.toString(users));
        facts.put("seed", Long.toString(seed));
        facts.put("neighbour", neighbours.isEmpty() ? "none" : neighbours.stream().map(one -> one.program() + ", "
                + one.placement() + ", " + one.schedule()).collect(Collectors.joining("; ")));
        facts.put("agent", !agent.on() ? OFF : agent.acts() ? "acts with "
                + agent.classifier().map(file -> file.getFileName().toString()).orElse("the shipped classifier.json")
                + " through " + agent.actuator() + ", moves " + agent.levers().stream().map(lever -> lever.key()).toList()
                + (agent.place() == AgentArm.Place.INSIDE ? ", inside the tier" : "") + (agent.shipped() ? ", as packaging/ic2.yaml says" : agent.manner() == AgentArm.Manner.ONE_LEVEL
                ? ", a level an action" : agent.manner() == AgentArm.Manner.PAPER ? ", by the profile paper" : "")
                : "observes");
        host.ifPresent(lever -> facts.put("host", "ic2-host " + lever.does()));
        if (!changes.isEmpty()) {
            facts.put("changes", changes.stream().map(Change::toString).toList().toString());
        }
        return facts;
    }
}
