// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.spi;

/** A driver that wants to do something while its user thinks, such as to notice that the server closed the connection. */
public interface Idling {
    /**
     * Called on the user's thread when the user starts to think. May return early, must not return later.
     *
     * @param untilNanos end of thinking by {@link System#nanoTime()}
     */
    void idle(long untilNanos);
}
