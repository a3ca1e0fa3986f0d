// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/**
 * A file that cannot be used. The message names the file, the place in it (line, or path of the node), what was
 * expected, what came, and what to do where that is not plain.
 */
public final class FormatException extends RuntimeException {
    /** An error in {@code source} at {@code place}. */
    public FormatException(String source, String place, String message) {
        super(source + ": " + place + ": " + message);
    }

    /** The same, with the cause. */
    public FormatException(String source, String place, String message, Throwable cause) {
        super(source + ": " + place + ": " + message, cause);
    }

    /** An error whose message names file, place and all else already. */
    public FormatException(String message, Throwable cause) {
        super(message, cause);
    }
}
