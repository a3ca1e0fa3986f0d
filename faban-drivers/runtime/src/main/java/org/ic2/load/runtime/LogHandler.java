// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** Brings what a driver logs into the log of the run. */
final class LogHandler extends Handler {
    private final DriverLog log;

    LogHandler(DriverLog log) {
        this.log = log;
    }

    @Override
    public void publish(LogRecord entry) {
        log.own(entry.getLevel() + " from the driver: " + entry.getMessage());
    }

    @Override
    public void flush() {
        // every record is flushed
    }

    @Override
    public void close() {
        // the run closes its log
    }
}
