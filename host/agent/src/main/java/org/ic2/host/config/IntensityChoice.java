// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where the guests' memory intensity comes from.
 *
 * @param source the provider
 * @param full   what a guest shows that does nothing but use memory, in the unit of the source: intensity 1. 1 where the source
 *               says shares already
 */
public record IntensityChoice(Source source, double full) {

    /** The providers. */
    public enum Source {
        /** Requests refused by a full super queue, 1/s (Intel; the paper's MBFR). */
        PERF_SQ("perf-sq", "1/s"),
        /** Memory bandwidth that the processor's monitoring counts, B/s. */
        RESCTRL("resctrl", "B/s"),
        /** What the file says of the guest: {@code guests.NAME.intensity}. */
        DECLARED("declared", "0..1"),
        /** How much slower a pointer chase on the host gets. */
        CANARY("canary", "1"),
        /** What the backend itself counts; ours do not, so it is for those of other jars. */
        BACKEND("backend", "0..1");

        private final String key;
        private final String unit;

        Source(String key, String unit) {
            this.key = key;
            this.unit = unit;
        }

        /** The word of the file. */
        public String key() {
            return key;
        }

        /** The unit of what it says. */
        public String unit() {
            return unit;
        }

        /** True if 1 is the most that it says, so that nobody has to tell what a full one is. */
        public boolean ofShares() {
            return unit.equals("0..1");
        }

        /** The source of a word. */
        public static Optional<Source> of(String key) {
            return Stream.of(values()).filter(source -> source.key.equals(key)).findFirst();
        }
    }
}
