// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** A time as requests give it. */
final class RequestTime {

    /** Later ones are no times, and do not fit into milliseconds. */
    private static final long LAST_SECOND = Integer.MAX_VALUE * 100L;

    private RequestTime() {
    }

    /** Epoch seconds or an ISO instant; empty for anything else. */
    static Optional<Instant> of(String text) {
        if (text.matches("\\d{1,11}(\\.\\d{1,15})?([eE]\\d{1,2})?")) {
            return Optional.of(Instant.ofEpochMilli((long) (Double.parseDouble(text) * 1000)));
        }
        try {
            Instant time = Instant.parse(text);
            return Math.abs(time.getEpochSecond()) > LAST_SECOND ? Optional.empty() : Optional.of(time);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
