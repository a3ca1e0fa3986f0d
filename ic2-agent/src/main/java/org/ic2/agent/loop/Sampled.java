// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Sample;

/**
 * Everything that was measured in one interval.
 *
 * @param managed  the sample of the tier that IC2 reconfigures
 * @param others   those of the other members
 * @param problems what is missing and why, by the sensor's label
 * @param extras   numbers that no rule looks at, by {@code label.name}
 */
public record Sampled(Sample managed, List<Sample> others, Map<String, String> problems,
        Map<String, Double> extras) {
}
