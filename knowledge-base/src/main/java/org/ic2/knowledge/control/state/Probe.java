// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import org.ic2.knowledge.control.policy.Probing;

/**
 * What users have paid since the last level down.
 *
 * @param until    the last sample that told, ms on the controller's clock
 * @param slow     time with a response time above the target, ms
 * @param requests in that time
 */
public record Probe(long until, long slow, double requests) {
    /** A level down, just now. */
    static Probe at(long now) {
        return new Probe(now, 0, 0);
    }

    /** The same after a sample that tells. */
    Probe plus(long now, boolean above, double completed) {
        return new Probe(now, above ? slow + now - until : slow, above && completed > 0 ? requests + completed : requests);
    }

    /**
     * True if the next sample, another like the last, might cost more than the price.
     *
     * @param interval ms
     * @param more     requests in an interval
     */
    public boolean spent(Probing price, long interval, double more) {
        return slow > 0 && (slow + interval > price.time().toMillis() || requests + Math.max(0, more) > price.requests());
    }
}
