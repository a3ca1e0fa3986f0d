// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * What a controller remembers: what it has learned and what it believes to be in force. The loop tells it what happens
 * besides its decisions. A new one knows nothing, and a new configuration gets a new one, which reads what the one
 * before it has written. Not thread-safe: the loop calls it from one thread at a time.
 */
public interface Brain {

    /** True if the next measurement is wanted sooner than usual. */
    boolean suspicious();

    /** True if a measurement at that time, after such a wish, would come in the middle of an interval. */
    boolean between(Instant time);

    /** What it takes to be in force; what it has wanted and nobody has seen yet counts. */
    Settings inForce();

    /** Why manual mode is on; empty when it is off. */
    Optional<String> manual();

    /**
     * The agent started, read its configuration again, or put the baseline back on its own account. What was learned
     * stays, and so do cool-down and budget; what it is in the middle of is found out anew.
     *
     * @param running what is in force
     */
    void restarted(Settings running);

    /**
     * An action of its own had no outcome, and the baseline was put back: as {@link #restarted}, but the failure counts.
     *
     * @param running what is in force
     */
    void undone(Settings running);

    /** What was only advised so far was never done: it counts as no action. */
    void withoutAdvice();

    /**
     * What runs was not known, or was due to be put back, and is found out: nobody else has changed it.
     *
     * @param running what is in force
     */
    void found(Settings running);

    /** A person takes over: nothing is decided until {@link #resumed}. */
    void enteredManual(String reason);

    /**
     * The person hands back.
     *
     * @param running what is in force
     */
    void resumed(Settings running);

    /** What it remembers, as one line of text that {@link #read} takes. */
    String write();

    /**
     * Remembers what another one of its kind has written.
     *
     * @param source where the text is from, for messages
     * @throws IOException when the text cannot be used; then it knows what it knew
     */
    void read(String source, String text) throws IOException;
}
