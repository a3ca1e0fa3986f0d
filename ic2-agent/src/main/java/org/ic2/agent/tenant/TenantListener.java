// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Optional;
import org.ic2.runtime.loop.Turn;
import org.ic2.runtime.loop.TurnListener;

/**
 * Records what is measured, before anything is decided on it, and puts up what came of it.
 *
 * @param recorder of the samples, if they are recorded
 * @param status   of the agent
 */
public record TenantListener(Optional<Recorder> recorder, AgentStatus status)
        implements TurnListener<TenantMeasurement, TenantVerdict> {

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
    }
}
