// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/** Writes the first failures of each interval and counts the rest, so that a dead server does not fill the disk. Safe for all threads. */
final class FailureLog {
    private static final int PER_INTERVAL = 10;

    private final DriverLog log;
    private int written;
    private int left;

    FailureLog(DriverLog log) {
        this.log = log;
    }

    void failed(String user, String operation, Throwable why) {
        synchronized (this) {
            if (written == PER_INTERVAL) {
                left++;
                return;
            }
            written++;
        }
        String message = why.getMessage() == null ? why.getClass().getName() : why.getMessage();
        log.failure(user + "." + operation + ": " + message.replaceAll("\\s*\\R\\s*", " "));
    }

    void nextInterval() {
        int suppressed;
        synchronized (this) {
            suppressed = left;
            left = 0;
            written = 0;
        }
        if (suppressed > 0) {
            log.failure(suppressed + " more failed operations in this interval, not shown");
        }
    }
}
