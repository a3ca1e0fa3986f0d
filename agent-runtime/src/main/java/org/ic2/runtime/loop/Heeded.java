// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

/**
 * What came of a person's word about who is in charge.
 *
 * @param done false when nothing was done
 * @param text one sentence for people: what is so now, or why nothing was done
 */
public record Heeded(boolean done, String text) {

    static Heeded done(String text) {
        return new Heeded(true, text);
    }

    static Heeded not(String why) {
        return new Heeded(false, why);
    }
}
