// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the process table says about the program {@code neighbour}. */
final class Neighbours {
    private Neighbours() {
    }

    /** True if its program has touched its memory and was stopped, to wait for its first phase. */
    static boolean ready(ProcessHandle neighbour) {
        return neighbour.children().anyMatch(child -> stopped(child.pid()));
    }

    private static boolean stopped(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }
}
