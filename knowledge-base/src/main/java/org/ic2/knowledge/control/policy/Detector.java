// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import org.ic2.knowledge.tree.ClassifierModel;

/** How interference is seen. */
public sealed interface Detector {
    /**
     * The paper's EC2 detector: a decision tree that drives the five states.
     *
     * @param model the trained tree
     */
    public record Tree(ClassifierModel model) implements Detector {
    }

    /**
     * The paper's private testbed: two states, NI2 and I2. Interference begins when the miss rate and the response
     * time are both above their thresholds, and ends when the miss rate is not.
     *
     * @param cmr          last-level-cache miss rate, 0..1 (the paper saw below 0.05 without, 0.15 and more with)
     * @param responseTime seconds
     */
    public record MissRate(double cmr, double responseTime) implements Detector {
        public MissRate {
            if (!(cmr >= 0 && cmr <= 1)) {
                throw new IllegalArgumentException("detector.threshold: expected a miss rate of 0..1, got " + cmr);
            }
            if (!(responseTime >= 0)) {
                throw new IllegalArgumentException("detector.response-time: expected 0 s or more, got "
                        + responseTime);
            }
        }
    }
}
