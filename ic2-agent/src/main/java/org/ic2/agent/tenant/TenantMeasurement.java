// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Everything that was measured in one interval.
 *
 * @param managed  the sample of the tier that IC2 reconfigures
 * @param others   those of the other members
 * @param problems what is missing and why, by the sensor's label
 * @param extras   numbers that no rule looks at, by {@code label.name}
 */
public record TenantMeasurement(Sample managed, List<Sample> others, Map<String, String> problems,
        Map<String, Double> extras) {

    /** The same with what the mix of requests cost, against what it costs in the quiet. */
    TenantMeasurement priced(MetricBaseline known) {
        Sample sample = known.priced(managed);
        return sample == managed ? this : new TenantMeasurement(sample, others, problems, extras);
    }

    /** The running values that were seen, and those of {@code otherwise} where none was. */
    Settings running(Settings otherwise) {
        return managed.settings(otherwise);
    }

    /** The same without the running values of some levers: missing, so that they are neither judged nor foreign. */
    TenantMeasurement without(Set<Knob> levers) {
        if (levers.isEmpty()) {
            return this;
        }
        Sample.Builder sample = managed.toBuilder();
        levers.forEach(lever -> sample.set(lever.quantity(), Double.NaN));
        return new TenantMeasurement(sample.build(), others, problems, extras);
    }
}
