// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;

/**
 * What was asked for was refused, or never reached whom it was for: nothing of it was done, or no more than the message says,
 * and nothing of it is on its way.
 * Any other failure leaves open whether it still takes effect.
 */
public final class NotDoneException extends IOException {

    private static final long serialVersionUID = 1;

    public NotDoneException(String message) {
        super(message);
    }

    public NotDoneException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Why a command did not succeed: it refused if it ended by itself; how far one came that something ended is open.
     *
     * @param failure what failed, before its status
     */
    public static IOException of(String failure, CommandResult result) {
        String message = failure + " with status " + result.exitStatus() + ": " + result.lastLine();
        return result.endedByItself() ? new NotDoneException(message) : new IOException(message);
    }
}
