// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;

/** Only what is certainly normal teaches what is normal. */
final class Lesson {
    /** Samples with a larger share of failed requests teach nothing. */
    private static final double FAILED_SHARE = 0.05;

    private Lesson() {
    }

    /** What is known as normal after the sample. */
    static Learning learn(Situation situation, Policy policy) {
        Learning known = situation.before().learning().seen(situation.features().sample());
        return normal(situation, policy) ? known.plus(situation.features().sample(), situation.judgement().late())
                : known;
    }

    private static boolean normal(Situation situation, Policy policy) {
        Sample sample = situation.features().sample();
        boolean failing = sample.get(Metric.ERROR_RATE) > FAILED_SHARE * sample.get(Metric.THROUGHPUT);
        boolean settled = situation.ledger().since(situation.now()) >= policy.coolDown().toMillis();
        return situation.gathered().teaches() && situation.state() == State.NI2 && situation.judgement().detected() == Label.NO_INTERFERENCE
                && situation.episode() == null && situation.running().manual() == null
                && situation.running().pending() == null && settled && !failing
                && policy.knowledge().doubt(situation.features()).isEmpty();
    }
}
