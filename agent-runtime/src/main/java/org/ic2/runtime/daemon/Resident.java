// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.ic2.runtime.serve.HttpEndpoint;
import org.ic2.runtime.serve.Verbs;

/** What lives in a {@link ResidentProcess}: an agent, which may be another after its configuration was read again. */
public interface Resident {

    /** The journal; the control sockets lie beside it. */
    Path journal();

    /** What people may ask. */
    Verbs verbs();

    /**
     * Begins to answer over HTTP; empty where it is not to.
     *
     * @throws IOException when the address cannot be had
     */
    Optional<HttpEndpoint> listen() throws IOException;

    /** Begins; people are answered already. */
    void start() throws InterruptedException;

    /** What it manages and in which mode, for the log. */
    String manages();

    /** Between two turns, for who watches that it turns. */
    Duration interval();

    /** From one turn to the next, asked before each; zero: at once. */
    Duration untilNext();

    /** One turn. */
    void turn() throws InterruptedException;

    /** Reads the configuration again, or says why the old one stays. */
    void readAgain() throws InterruptedException;

    /** Interrupts what is being done; called by another thread. */
    void interrupt();

    /** Ends, and leaves everything as it is to be left. */
    void stop(String why) throws InterruptedException;
}
