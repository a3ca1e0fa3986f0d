// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.ic2.knowledge.State.I2;
import static org.ic2.knowledge.State.NI2;

import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.Transition.Trigger;
import org.ic2.knowledge.control.policy.Detector;

/**
 * The two states of the paper's private testbed, where a raised miss rate proves interference. Detection is merged
 * with the machine; the response time in the trigger leaves out interference that nobody feels.
 *
 * <pre>
 *   NI2 -> I2 (mitigate)   miss rate above its threshold and response time above its threshold
 *   I2 -> NI2 (restore)    miss rate not above its threshold
 *   otherwise, and while a number that the question needs is missing: stay
 * </pre>
 *
 * Any state of the five that is not I2 counts as NI2.
 */
public final class TwoStates {
    private TwoStates() {
    }

    /** The step of one sample. */
    public static Transition step(State state, Sample sample, Detector.MissRate thresholds) {
        double cmr = sample.get(Metric.CMR);
        if (state == I2) {
            return cmr <= thresholds.cmr() ? new Transition(NI2, Trigger.RESTORE) : Transition.silent(I2);
        }
        boolean begins = cmr > thresholds.cmr() && sample.get(Metric.RESPONSE_TIME) > thresholds.responseTime();
        return begins ? new Transition(I2, Trigger.MITIGATE) : Transition.silent(NI2);
    }
}
