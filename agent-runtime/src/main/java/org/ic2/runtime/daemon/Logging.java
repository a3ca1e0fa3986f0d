// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** One line per event on standard error; systemd's journal adds the time. */
public final class Logging {

    /** The agent and the runtime that it stands on. Kept here because the logging system holds its loggers weakly. */
    private static final Logger OURS = Logger.getLogger("org.ic2");

    private Logging() {
    }

    /** @param program its name, before each line */
    public static void configure(String program, boolean verbose) {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        Handler handler = new ConsoleHandler();
        handler.setLevel(Level.ALL);
        handler.setFormatter(new OneLine(program));
        root.addHandler(handler);
        root.setLevel(Level.WARNING);
        OURS.setLevel(verbose ? Level.FINE : Level.INFO);
    }

    private static final class OneLine extends Formatter {
        private final String program;

        OneLine(String program) {
            this.program = program;
        }

        @Override
        public String format(LogRecord line) {
            String level = line.getLevel().intValue() >= Level.SEVERE.intValue() ? "error: "
                    : line.getLevel() == Level.WARNING ? "warning: " : "";
            StringBuilder text = new StringBuilder(program).append(": ").append(level).append(formatMessage(line));
            for (Throwable cause = line.getThrown(); cause != null; cause = cause.getCause()) {
                text.append(": ").append(cause);
                if (cause == line.getThrown() && cause.getStackTrace().length > 0) {
                    text.append(" at ").append(cause.getStackTrace()[0]);
                }
            }
            return text.append('\n').toString();
        }
    }
}
