// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.IOException;

/** The exchange failed: no connection, no answer in time, or an answer that is not HTTP. The connection is closed. */
public class HttpFailure extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * A failure.
     *
     * @param message what was expected and what came
     */
    public HttpFailure(String message) {
        super(message);
    }

    /**
     * A failure with its cause.
     *
     * @param message what was expected and what came
     * @param cause   what the socket said
     */
    public HttpFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
