// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.List;
import org.ic2.runtime.knob.Vocabulary;

/** The vocabulary that IC2 ships. */
public final class Terms {
    private static final Vocabulary SHIPPED = Vocabulary.of(List.of(Lever.values()), List.of(Metric.values()));

    private Terms() {
    }

    /** The four levers and every {@link Metric}. */
    public static Vocabulary shipped() {
        return SHIPPED;
    }
}
