// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

/** A configuration file that cannot be used; the message names file, line and key, what was expected and what came. */
public final class ConfigException extends Exception {

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
