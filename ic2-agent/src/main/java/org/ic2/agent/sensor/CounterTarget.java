// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import org.ic2.runtime.host.Host;

/** The process whose counters are wanted. */
sealed interface CounterTarget {

    /** Its process id now. */
    String pid(Host host) throws IOException, InterruptedException;

    /** A fixed process id. */
    record Pid(int number) implements CounterTarget {
        @Override
        public String pid(Host host) {
            return Integer.toString(number);
        }

        @Override
        public String toString() {
            return "process " + number;
        }
    }

    /** The process id that a file holds at the time. */
    record PidFile(String path) implements CounterTarget {
        @Override
        public String pid(Host host) throws IOException, InterruptedException {
            String text = host.read(path).strip();
            if (!text.matches("[1-9]\\d{0,9}")) {
                throw new IOException("expected a process id in " + path + ", got \"" + text + "\"");
            }
            return text;
        }

        @Override
        public String toString() {
            return path;
        }
    }
}
