// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.ic2.agent.tenant.TenantMeasurement;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.MeasurementSource;

/** Measures nothing: a change by hand needs no sample. */
final class NoSensors implements MeasurementSource<TenantMeasurement> {

    @Override
    public TenantMeasurement measure(Instant time, Epochs epochs, Settings believed, boolean between) {
        return new TenantMeasurement(Sample.at(time).settings(believed).build(), List.of(), Map.of(), Map.of());
    }

    @Override
    public void close() {
        // nothing is open
    }
}
