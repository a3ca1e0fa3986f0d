// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

/**
 * What came of a person's word about manual mode.
 *
 * @param done false when nothing was done
 * @param text one sentence for people: what is so now, or why nothing was done
 */
public record CommandOutcome(boolean done, String text) {

    static CommandOutcome done(String text) {
        return new CommandOutcome(true, text);
    }

    static CommandOutcome not(String why) {
        return new CommandOutcome(false, why);
    }
}
