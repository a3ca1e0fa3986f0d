// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was measured in one interval.
 *
 * @param time     its end
 * @param interval its length
 * @param guests   the guests that ran at its end, in the order of the backend
 * @param byUuid   what was measured of each
 * @param host     what was measured of all
 */
public record HostSample(Instant time, Duration interval, List<Guest> guests, Map<String, Readings<GuestMetric>> byUuid,
        Readings<HostMetric> host) {

    public HostSample {
        guests = List.copyOf(guests);
        byUuid = Collections.unmodifiableMap(new LinkedHashMap<>(byUuid));
    }

    /** A guest's value; NaN if there is none. */
    public double get(Guest guest, GuestMetric metric) {
        return Optional.ofNullable(byUuid.get(guest.uuid())).map(of -> of.get(metric)).orElse(Double.NaN);
    }

    /** Why a guest has no value; {@code not measured} where nobody said. */
    public String why(Guest guest, GuestMetric metric) {
        return Optional.ofNullable(byUuid.get(guest.uuid())).map(of -> of.why(metric)).filter(why -> !why.isEmpty()).orElse("not measured");
    }

    /** The host's value; NaN if there is none. */
    public double get(HostMetric metric) {
        return host.get(metric);
    }
}
