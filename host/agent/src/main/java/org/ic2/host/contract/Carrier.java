// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import java.io.IOException;
import java.util.Optional;
import org.ic2.host.model.Guest;

/** Carries texts between the host and its guests. Any of it may take its time: it is called by threads that may. */
interface Carrier {
    /** As much as xenstore takes by default, bytes. */
    int MOST_BYTES = 2048;

    /**
     * What a tenant wrote.
     *
     * @param text  as it stands there
     * @param stamp differs where the same text was written again, as far as that can be told
     */
    record Letter(String text, String stamp) {
    }

    /** What it is, for people. */
    String describe();

    /** False for a guest that cannot be reached by it. */
    boolean reaches(Guest guest);

    /**
     * What a guest's tenant wrote last; empty where there is nothing.
     *
     * @throws IOException when there is something that is no text of at most {@link #MOST_BYTES}; the message quotes nothing of it
     */
    Optional<Letter> fetch(Guest guest) throws IOException, InterruptedException;

    /** Puts a text where a guest's tenant finds it, in place of the one before. */
    void deliver(Guest guest, String text) throws IOException, InterruptedException;

    /** Takes it away. */
    void withdraw(Guest guest) throws IOException, InterruptedException;
}
