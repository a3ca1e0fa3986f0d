// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.agent.actuator.Actuator;
import org.ic2.agent.actuator.DeadlineActuator;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.executor.Limits;
import org.ic2.agent.loop.AgentLoop;
import org.ic2.agent.loop.HostPool;
import org.ic2.agent.loop.Recorder;
import org.ic2.agent.loop.Sampler;
import org.ic2.agent.loop.StateStore;
import org.ic2.agent.loop.StatusBoard;
import org.ic2.knowledge.control.Policy;

/** One configuration come to life: its hosts, sensors, executor and loop. Rebuilt when the configuration changes. */
public final class Agent implements AutoCloseable {

    private final AgentConfig config;
    private final HostPool hosts;
    private final Sampler sampler;
    private final Executor executor;
    private final AgentLoop loop;

    /** What outlives a change of the configuration. */
    public record Surroundings(Journal journal, StateStore store, StatusBoard board, Optional<Recorder> recorder,
            Clock clock, LongSupplier nanoClock) {
    }

    /**
     * @param number of this agent in its process, from 1: for a moment the agents before and after a change of the
     *               configuration live side by side, each with ssh sockets of its own
     */
    public Agent(AgentConfig config, Surroundings around, int number) {
        this.config = config;
        hosts = new HostPool(config, around.journal().file().resolveSibling("ssh").resolve(Integer.toString(number)));
        sampler = new Sampler(config, hosts, around.nanoClock());
        executor = executor(config, hosts, around.journal(), around.clock(), around.nanoClock());
        loop = new AgentLoop(new AgentLoop.Parts(config, sampler, executor, around.journal(), around.store(),
                around.board(), around.recorder(), around.clock(), around.nanoClock()));
    }

    /** The executor of a configuration's managed tier. */
    public static Executor executor(AgentConfig config, HostPool hosts, Journal journal, Clock clock,
            LongSupplier nanoClock) {
        Policy policy = config.policy();
        return new Executor(actuators(config, hosts), new Limits(policy.baseline(), policy.bounds(), policy.levers(),
                policy.coolDown(), policy.actionsPerHour()), journal, clock, nanoClock);
    }

    /** The actuators of the managed tier that move an allowed lever, by label. */
    public static Map<String, Actuator> actuators(AgentConfig config, HostPool hosts) {
        MemberConfig managed = config.managed();
        Map<String, Actuator> actuators = new LinkedHashMap<>();
        for (MemberConfig.ActuatorConfig actuator : managed.actuators()) {
            if (actuator.plan().levers().stream().anyMatch(config.policy().levers()::contains)) {
                actuators.put(actuator.label(), new DeadlineActuator(actuator.plan().open(
                        hosts.at(managed.host()))));
            }
        }
        return actuators;
    }

    public AgentConfig config() {
        return config;
    }

    public AgentLoop loop() {
        return loop;
    }

    public Executor executor() {
        return executor;
    }

    @Override
    public void close() {
        sampler.close();
        executor.close();
        hosts.close();
    }
}
