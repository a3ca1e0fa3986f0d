// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import java.io.IOException;
import java.net.SocketTimeoutException;

/** Why an operation failed. */
public enum ErrorKind {
    /** The server answered 503: it, or what limits it, takes no more. */
    REFUSED,
    /** It answered with another status than the one expected. */
    STATUS,
    /** It answered with a page that is not the one asked for. */
    PAGE,
    /** It answered with a page that was built for somebody else. */
    LEAK,
    /** No complete answer within the time limit. */
    TIMEOUT,
    /** No connection, or an answer that broke off or is not HTTP. */
    CONNECTION,
    /** The driver's own fault. */
    OTHER;

    private static final int UNAVAILABLE = 503;

    /** The kind of an answer with a status that was not expected. */
    static ErrorKind of(int status) {
        return status == UNAVAILABLE ? REFUSED : STATUS;
    }

    /** The kind of what an operation threw. */
    public static ErrorKind of(Throwable failure) {
        if (failure instanceof PageError page) {
            return page.kind();
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return TIMEOUT;
            }
        }
        return failure instanceof IOException ? CONNECTION : OTHER;
    }
}
