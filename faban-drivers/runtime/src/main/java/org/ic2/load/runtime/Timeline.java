// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/**
 * When the phases of a run are, by {@link System#nanoTime()}. Elapsed time counts from the start of ramp-up.
 *
 * @param start    start of ramp-up
 * @param rampUp   its length, ns
 * @param steady   length of the steady state, ns
 * @param rampDown length of ramp-down, ns
 */
record Timeline(long start, long rampUp, long steady, long rampDown) {
    /** Where a run is. */
    enum Phase { RAMP_UP, STEADY, RAMP_DOWN }

    Phase phaseAt(long nanos) {
        long elapsed = nanos - start;
        return elapsed < rampUp ? Phase.RAMP_UP : elapsed < rampUp + steady ? Phase.STEADY : Phase.RAMP_DOWN;
    }

    /** Whether something lies in the steady state as a whole. */
    boolean isSteady(long from, long to) {
        return from - start >= rampUp && to - start <= rampUp + steady;
    }

    /** How much of the steady state is over, seconds. */
    double steadySeconds(long nanos) {
        return Math.max(0, Math.min(nanos - start - rampUp, steady)) / 1e9;
    }

    double elapsedSeconds(long nanos) {
        return (nanos - start) / 1e9;
    }

    long end() {
        return start + rampUp + steady + rampDown;
    }

    /** The same run, ended early. */
    Timeline cutAt(long nanos) {
        long left = Math.max(0, nanos - start);
        long up = Math.min(rampUp, left);
        long middle = Math.min(steady, left - up);
        return new Timeline(start, up, middle, Math.min(rampDown, left - up - middle));
    }
}
