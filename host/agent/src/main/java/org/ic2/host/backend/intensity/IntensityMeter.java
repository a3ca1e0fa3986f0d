// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Guest;

/** A way to tell how much of the memory's bandwidth and of the shared cache guests take. Values of two ways are not compared. */
public interface IntensityMeter extends AutoCloseable {

    /**
     * How much.
     *
     * @param value in the unit that {@link #source} names; NaN if it is unknown
     * @param why   it is unknown
     */
    record Intensity(double value, String why) {
        static Intensity none(String why) {
            return new Intensity(Double.NaN, why);
        }
    }

    /** Where the values come from, and their unit, for people. */
    String source();

    /** Why this host cannot tell, as far as that is seen without measuring; empty if it can. */
    default Optional<String> lack() throws InterruptedException {
        return Optional.empty();
    }

    /** True if it costs so much that it is only asked when wanted. */
    boolean dear();

    /** By uuid, of each of these guests, since the last call. */
    Map<String, Intensity> read(List<Guest> guests) throws InterruptedException;

    /** Takes away what it has made. */
    @Override
    void close();
}
