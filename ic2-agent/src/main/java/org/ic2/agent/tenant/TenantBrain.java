// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Controller;
import org.ic2.knowledge.control.DecisionResult;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.worth.EndedEpisode;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.Vocabulary;
import org.ic2.runtime.loop.Brain;

/** The tenant's decisions: {@link Controller#decide} with the state that it gave back last. */
public final class TenantBrain implements Brain {

    private static final Logger LOG = Logger.getLogger(TenantBrain.class.getName());

    private final Policy policy;
    private final ControlJson json;
    private final JournalFilter filter = new JournalFilter();
    private final EpisodeLedger episodes = new EpisodeLedger();
    private ControllerState state;
    private Optional<String> targetProblem = Optional.empty();

    /**
     * @param policy     what may be decided, as the agent's mode needs it
     * @param vocabulary the knobs that a state may name
     */
    public TenantBrain(Policy policy, Vocabulary vocabulary) {
        this.policy = policy;
        this.json = new ControlJson(vocabulary);
        this.state = ControllerState.initial(policy.baseline());
    }

    /** Decides on one measurement. */
    TenantVerdict next(TenantMeasurement measurement) {
        DecisionResult decided = Controller.decide(state, measurement.managed(), policy);
        Optional<EndedEpisode> ended = policy.acting() ? episodes.turn(state, measurement.managed(), decided.decision(), decided.state(),
                policy) : Optional.empty();
        state = decided.state();
        Optional<String> target = TargetCheck.problem(policy, state.learning());
        if (target.isPresent() && targetProblem.isEmpty()) {
            LOG.warning(TargetCheck.KEY + ": " + target.get());
        }
        targetProblem = target;
        int level = Math.max(0, policy.ladder().reached(measurement.running(decided.decision().current())));
        return new TenantVerdict(decided.decision(), state, filter.passes(decided.decision()), level, json, ended);
    }

    @Override
    public boolean suspicious() {
        return state.suspicious(policy);
    }

    @Override
    public boolean between(Instant time) {
        return state.between(time, policy);
    }

    /** What the controller remembers. */
    public ControllerState state() {
        return state;
    }

    @Override
    public Settings inForce() {
        return state.configuration();
    }

    @Override
    public Optional<String> manual() {
        return state.manualReason();
    }

    @Override
    public void restarted(Settings running) {
        state = state.restarted(running);
    }

    @Override
    public void undone(Settings running) {
        state = state.undone(running);
    }

    @Override
    public void withoutAdvice() {
        state = state.withoutAdvice();
    }

    @Override
    public void found(Settings running) {
        state = state.found(running);
    }

    @Override
    public void enteredManual(String reason) {
        state = state.enteredManual(reason);
    }

    @Override
    public void resumed(Settings running) {
        state = state.resumed(running);
    }

    @Override
    public String write() {
        return json.write(state);
    }

    @Override
    public void read(String source, String text) throws IOException {
        try {
            state = json.readState(source, text);
        } catch (FormatException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
