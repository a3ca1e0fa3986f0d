// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import java.io.IOException;
import java.net.SocketTimeoutException;

/** The server answered, but not with what the operation needs. */
public final class PageError extends IOException {
    private static final long serialVersionUID = 1;

    private final ErrorKind kind;

    /**
     * A page that is not the one asked for.
     *
     * @param message what was expected and what came
     */
    public PageError(String message) {
        this(message, ErrorKind.PAGE);
    }

    /**
     * An answer with another status.
     *
     * @param message what was expected and what came
     * @param status  what came
     */
    public PageError(String message, int status) {
        this(message, ErrorKind.of(status));
    }

    private PageError(String message, ErrorKind kind) {
        super(message);
        this.kind = kind;
    }

    /** A page that was built for another visitor. */
    public static PageError leak(String message) {
        return new PageError("leak: " + message, ErrorKind.LEAK);
    }

    /** The kind of what an operation threw. */
    public static ErrorKind kindOf(Throwable failure) {
        if (failure instanceof PageError page) {
            return page.kind;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return ErrorKind.TIMEOUT;
            }
        }
        return failure instanceof IOException ? ErrorKind.CONNECTION : ErrorKind.OTHER;
    }
}
