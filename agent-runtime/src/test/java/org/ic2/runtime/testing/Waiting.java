// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.testing;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Waits for what servers do in their own time. */
public final class Waiting {

    private static final int TURNS = 4800;
    private static final int TURN_MILLIS = 25;

    private Waiting() {
    }

    /** Something that will hold; an {@link IOException} counts as not yet. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** Returns when the condition holds; fails after two minutes. */
    public static void until(String what, Condition condition) throws Exception {
        IOException last = null;
        for (int i = 0; i < TURNS; i++) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
            }
            TimeUnit.MILLISECONDS.sleep(TURN_MILLIS);
        }
        throw new AssertionError("waited in vain for " + what, last);
    }
}
