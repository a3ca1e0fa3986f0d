// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Optional;
import org.ic2.agent.history.History;
import org.ic2.agent.history.HistoryMoment;
import org.ic2.runtime.loop.TurnOutcome;

/**
 * Records what is measured, before anything is decided on it, and puts up what came of it.
 *
 * @param recorder of the samples, if they are recorded
 * @param status   of the agent
 * @param history  of what was measured, if there is one
 * @param teller   of the host, if it is told anything
 * @param overload file that is there while users are harmed, if there is to be one
 */
public record TenantListener(Optional<Recorder> recorder, AgentStatus status, Optional<History> history, Optional<HostTeller> teller,
        Optional<OverloadFile> overload) {

    /** Without a history, and nobody is told. */
    public TenantListener(Optional<Recorder> recorder, AgentStatus status) {
        this(recorder, status, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Something was measured, and is about to be decided on. */
    void measured(TenantMeasurement measurement) {
        recorder.ifPresent(file -> {
            file.record(status.priced(measurement).managed());
            measurement.others().forEach(file::record);
        });
    }

    /** A turn has ended. */
    void turned(TenantMeasurement measurement, TenantVerdict verdict, TurnOutcome outcome, long decideNanos) {
        status.post(measurement, verdict, outcome, decideNanos);
        overload.ifPresent(file -> file.show(verdict.decision().harm(), verdict.level()));
        teller.ifPresent(host -> host.turned(measurement.managed(), verdict.level() > 0, outcome.result()));
        history.ifPresent(kept -> status.latest().ifPresent(tick -> kept.add(new HistoryMoment(tick.sampled().managed(),
                tick.sampled().extras(), tick.state().medians(), target(tick), tick.stateName(), tick.level()))));
    }

    private static double target(AgentStatus.Tick tick) {
        return tick.decision().numbers().getOrDefault("policy.target_response_time", Double.NaN);
    }
}
