// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/** The run cannot start as it is configured. The message names file, line and key, what was expected and what came. */
public final class ConfigError extends Exception {
    private static final long serialVersionUID = 1;

    /**
     * An error of the user's.
     *
     * @param message what was expected and what came
     */
    public ConfigError(String message) {
        super(message);
    }

    /**
     * An error of the user's, with its cause.
     *
     * @param message what was expected and what came
     * @param cause   what went wrong below
     */
    public ConfigError(String message, Throwable cause) {
        super(message, cause);
    }
}
