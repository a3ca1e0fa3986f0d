// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;

/** A part of a run did not do what it must; the message says which, why, and where its log is. */
public final class RunException extends IOException {
    private static final long serialVersionUID = 1;

    RunException(String message) {
        super(message);
    }

    RunException(String message, Throwable cause) {
        super(message, cause);
    }
}
