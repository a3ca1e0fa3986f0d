// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

/**
 * Input or output that cannot be used, in one line for a person: which file, what was expected, what came, what to do. It passes
 * through Spark from wherever a task runs.
 */
public final class FleetException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An error in words. */
    public FleetException(String message) {
        super(message);
    }

    /** The same, with the cause. */
    public FleetException(String message, Throwable cause) {
        super(message, cause);
    }
}
