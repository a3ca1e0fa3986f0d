// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import java.time.Duration;

/**
 * How often samples come: usually, and while it is not decided whether a neighbour is there. Three labels in a row decide,
 * so with short intervals between them that takes half a second instead of two.
 *
 * @param usual time between two samples
 * @param close the same from the first suspicious one on; equal: it is always the usual time
 */
public record SamplingInterval(Duration usual, Duration close) {
    /** What is not decided after so many usual intervals will not be by more samples; then they come as usual. */
    private static final int MAX_INTERVALS = 10;

    public SamplingInterval {
        if (close.toMillis() < 1 || close.compareTo(usual) > 0) {
            throw new IllegalArgumentException("suspicious-interval: expected more than 0 s and at most the interval of "
                    + usual + ", got " + close);
        }
    }

    /** The same always. */
    public static SamplingInterval steady(Duration usual) {
        return new SamplingInterval(usual, usual);
    }

    /** True if samples come faster while nothing is decided. */
    public boolean quickens() {
        return close.compareTo(usual) < 0;
    }

    /**
     * True for a sample in the middle of an interval. One that comes long after the one before it speaks for all that time
     * and is whole, as are all of a recording that was made without fast sampling.
     *
     * @param sinceWhole ms since the last whole interval ended
     * @param sinceLast  ms since the last sample
     */
    public boolean between(long sinceWhole, long sinceLast) {
        return sinceWhole < usual.toMillis() - close.toMillis() / 4
                && sinceLast < (usual.toMillis() + close.toMillis()) / 2;
    }

    /** How long fast sampling lasts after one suspicion, ms. */
    public long longest() {
        return MAX_INTERVALS * usual.toMillis();
    }
}
