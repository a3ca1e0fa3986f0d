// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.util.List;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/** How a request went. */
public sealed interface Result {

    /** One sentence for people. */
    String text();

    /** The same in one word, for charts. */
    default String word() {
        return this instanceof Applied ? "applied" : this instanceof Refused ? "refused" : "failed";
    }

    /**
     * It is in force, read back from the servers.
     *
     * @param configuration what runs now
     * @param millis        from the first command to the last value read back
     * @param leftOut       why what else was wanted could not be done now
     */
    record Applied(Settings configuration, long millis, List<String> leftOut) implements Result {
        @Override
        public String text() {
            return configuration.describe() + " is in force (" + millis + " ms)"
                    + (leftOut.isEmpty() ? "" : "; left out: " + String.join("; ", leftOut));
        }
    }

    /**
     * It was not tried.
     *
     * @param text why
     */
    record Refused(String text) implements Result {
    }

    /**
     * It was tried and is not in force.
     *
     * @param text       what went wrong
     * @param rolledBack true when the values from before are in force again
     * @param running    what runs now, when that could be read
     */
    record Failed(String text, boolean rolledBack, Optional<Settings> running) implements Result {
    }
}
