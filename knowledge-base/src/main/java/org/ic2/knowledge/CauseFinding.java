// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.List;
import java.util.Locale;

/**
 * What a sample says of the cause of a harm.
 *
 * @param cause      the one that fits best; {@link Cause#UNKNOWN} if none does
 * @param confidence how far to trust it
 * @param evidence   what speaks for it, then what speaks for another and what is not measured, one line each
 */
public record CauseFinding(Cause cause, Confidence confidence, List<String> evidence) {
    /** How far a cause is to be trusted. A missing metric lowers it. */
    public enum Confidence {
        LOW, MEDIUM, HIGH;

        /** So many steps lower. */
        public Confidence lower(int steps) {
            return values()[Math.max(0, ordinal() - steps)];
        }

        /** The word for people and JSON. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public CauseFinding {
        evidence = List.copyOf(evidence);
    }

    /** For people: {@code crawlers (confidence high: ...)}; of an unknown cause no confidence is told. */
    public String describe() {
        String because = String.join("; ", evidence);
        return cause == Cause.UNKNOWN ? "unknown" + (because.isEmpty() ? "" : " (" + because + ")")
                : cause.key() + " (confidence " + confidence.word() + ": " + because + ")";
    }
}
