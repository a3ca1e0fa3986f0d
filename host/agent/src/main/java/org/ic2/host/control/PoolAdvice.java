// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.List;
import org.ic2.host.model.Pool;

/**
 * Which scheduler a pool should have.
 *
 * @param pool     which one
 * @param verdict  the advice
 * @param evidence what it rests on, in words with numbers
 * @param tells    what would tell, where it is not known
 */
public record PoolAdvice(Pool pool, Verdict verdict, List<String> evidence, List<String> tells) {
    public PoolAdvice {
        evidence = List.copyOf(evidence);
        tells = List.copyOf(tells);
    }

    /** What can be said. */
    public enum Verdict {
        /** Credit1. */
        CREDIT("credit"),
        /** Credit2. */
        CREDIT2("credit2"),
        /** Either: no difference is known. */
        EITHER("either"),
        /** There are reasons for neither, or nothing to choose between. */
        NO_ADVICE("no advice"),
        /** What it would rest on is not known. */
        UNKNOWN("does not know");

        private final String key;

        Verdict(String key) {
            this.key = key;
        }

        /** For people and files. */
        public String key() {
            return key;
        }
    }
}
