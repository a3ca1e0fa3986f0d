// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

/**
 * Who wants to hear of every turn: a recording, a status. Called from the loop's thread, so it must be quick.
 *
 * @param <M> what is measured
 * @param <V> what is decided
 */
public interface TurnListener<M, V> {

    /** Something was measured, and is about to be decided on. */
    void measured(M measurement);

    /** A turn ended. */
    void turned(Turn<M, V> turn);
}
