// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.time.Duration;
import java.util.Optional;

/**
 * A person takes over.
 *
 * @param by   who, in words; empty where that is unknown
 * @param time for how long; empty: until the agent is told to go on
 */
public record OperatorRequest(String by, Optional<Duration> time) {

    /** Until the agent is told to go on. */
    public static OperatorRequest by(String name) {
        return new OperatorRequest(name, Optional.empty());
    }
}
