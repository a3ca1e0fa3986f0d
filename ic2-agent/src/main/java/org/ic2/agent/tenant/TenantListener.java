// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Optional;
import org.ic2.agent.history.History;
import org.ic2.agent.history.HistoryMoment;
import org.ic2.runtime.loop.Turn;
import org.ic2.runtime.loop.TurnListener;

/**
 * Records what is measured, before anything is decided on it, and puts up what came of it.
 *
 * @param recorder of the samples, if they are recorded
 * @param status   of the agent
 * @param history  of what was measured, if there is one
 * @param teller   of the host, if it is told anything
 */
public record TenantListener(Optional<Recorder> recorder, AgentStatus status, Optional<History> history, Optional<HostTeller> teller)
        implements TurnListener<TenantMeasurement, TenantVerdict> {

    /** Without a history, and nobody is told. */
    public TenantListener(Optional<Recorder> recorder, AgentStatus status) {
        this(recorder, status, Optional.empty(), Optional.empty());
    }

    @Override
    public void measured(TenantMeasurement measurement) {
        recorder.ifPresent(file -> {
            file.record(status.priced(measurement).managed());
            measurement.others().forEach(file::record);
        });
    }

    @Override
    public void turned(Turn<TenantMeasurement, TenantVerdict> turn) {
        status.post(turn);
        teller.ifPresent(host -> host.turned(turn));
        history.ifPresent(kept -> status.latest().ifPresent(tick -> kept.add(new HistoryMoment(tick.sampled().managed(),
                tick.sampled().extras(), tick.state().medians(), target(tick), tick.stateName(), tick.rung()))));
    }

    private static double target(AgentStatus.Tick tick) {
        return tick.decision().numbers().getOrDefault("policy.target_response_time", Double.NaN);
    }
}
