// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Duration;
import java.util.Locale;
import org.ic2.knowledge.Label;

/**
 * What a tree says beside a neighbour that does no harm. It is neither right nor wrong: something is there, and nobody
 * suffers.
 *
 * @param time judged
 * @param interference and labelled INTERFERENCE
 */
public record Harmless(Duration time, Duration interference) {
    static Harmless of(Duration interval, Label label) {
        return new Harmless(interval, label == Label.INTERFERENCE ? interval : Duration.ZERO);
    }

    Harmless plus(Harmless other) {
        return new Harmless(time.plus(other.time), interference.plus(other.interference));
    }

    /** {@code 52 s, 4 s of them labelled INTERFERENCE}. */
    public String text() {
        return String.format(Locale.ROOT, "%d s, %d s of them labelled INTERFERENCE", time.toSeconds(), interference.toSeconds());
    }
}
