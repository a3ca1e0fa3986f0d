// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

/** Why an operation failed. */
public enum ErrorKind {
    /** The server answered 503: it, or what limits it, takes no more. */
    REFUSED,
    /** It answered with another status than the one expected. */
    STATUS,
    /** It answered with a page that is not the one asked for. */
    PAGE,
    /** It answered with a page that was built for another visitor. */
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
}
