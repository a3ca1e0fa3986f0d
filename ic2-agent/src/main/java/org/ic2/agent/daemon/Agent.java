// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.agent.history.History;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.HostTeller;
import org.ic2.agent.tenant.OverloadFile;
import org.ic2.agent.tenant.Recorder;
import org.ic2.agent.tenant.Sampler;
import org.ic2.agent.tenant.TenantBrain;
import org.ic2.agent.tenant.TenantListener;
import org.ic2.agent.tenant.TenantTurn;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.DeadlineActuator;
import org.ic2.runtime.executor.BaselinePlan;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.AgentLoop;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;

/** One configuration come to life: its hosts, sensors, executor and loop. Rebuilt when the configuration changes. */
public final class Agent implements AutoCloseable {

    private final AgentConfig config;
    private final HostPool hosts;
    private final Sampler sampler;
    private final Map<String, Actuator> actuators;
    private final Executor executor;
    private final Optional<HostTeller> teller;
    private final Optional<OverloadFile> overload;
    private final AgentLoop loop;

    /** What outlives a change of the configuration. */
    public record Surroundings(Journal journal, StateStore store, AgentStatus board, Optional<Recorder> recorder,
            Optional<History> history, Clock clock, LongSupplier nanoClock) {

        /** Without a history. */
        public Surroundings(Journal journal, StateStore store, AgentStatus board, Optional<Recorder> recorder, Clock clock,
                LongSupplier nanoClock) {
            this(journal, store, board, recorder, Optional.empty(), clock, nanoClock);
        }
    }

    /**
     * @param number of this agent in its process, from 1: for a moment the agents before and after a change of the
     *               configuration live side by side, each with ssh sockets of its own
     */
    public Agent(AgentConfig config, Surroundings around, int number) {
        this.config = config;
        hosts = config.hosts(around.journal().file().resolveSibling("ssh").resolve(Integer.toString(number)));
        sampler = new Sampler(config, hosts, around.nanoClock());
        actuators = actuators(config, hosts);
        executor = new Executor(actuators, config.mandate().limits(), around.journal(), around.clock(), around.nanoClock());
        overload = config.overloadFile().map(OverloadFile::new);
        teller = config.tellHost().map(where -> new HostTeller(where, config.policy().coolDown()));
        TenantBrain brain = new TenantBrain(config.policyFor(config.mode() == Mode.ACT), config.vocabulary());
        TenantListener listener = new TenantListener(around.recorder(), around.board(), around.history(), teller, overload);
        loop = new AgentLoop(new AgentLoop.Parts(config.mandate(),
                interval -> new TenantTurn(sampler.measure(interval), brain, listener, around.nanoClock()), brain, executor,
                around.journal(), around.store(), around.clock(), around.nanoClock()));
    }

    /** The executor of a configuration's managed tier. */
    public static Executor executor(AgentConfig config, HostPool hosts, Journal journal, Clock clock,
            LongSupplier nanoClock) {
        return new Executor(actuators(config, hosts), config.mandate().limits(), journal, clock, nanoClock);
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

    /**
     * What the journal's companion writes down from now on, so that the baseline can be restored without Java.
     *
     * @param locks files that this agent has locked
     */
    public BaselinePlan plan(Path journal, Set<Path> locks) {
        return new BaselinePlan(journal, actuators, config.mandate().limits(), config.mandate().acts() && config.restoreOnExit(),
                config.managed().host().isEmpty(), locks);
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

    /** Nobody tells any more whether users are harmed: the agent ends, or another one tells it elsewhere. */
    void silence() {
        overload.ifPresent(OverloadFile::end);
    }

    @Override
    public void close() {
        sampler.close();
        teller.ifPresent(HostTeller::close);
        executor.close();
        hosts.close();
    }
}
