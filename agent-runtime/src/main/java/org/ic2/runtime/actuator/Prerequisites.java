// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.ic2.runtime.host.Host;

/** Whether an actuator could do what it would have to do, found out without doing it. */
public final class Prerequisites {

    /** A path as it is, another word as the shell finds it. */
    private static final String RUNNABLE = "case $1 in */*) test -f \"$1\" && test -x \"$1\";; *) command -v \"$1\";; esac";

    private static final Duration DEADLINE = Duration.ofSeconds(3);

    private Prerequisites() {
    }

    /** The first word of a command is a program that can be run. */
    public static void command(Host host, List<String> command) throws IOException, InterruptedException {
        require(host, List.of("sh", "-c", RUNNABLE, "sh", command.get(0)), "cannot run " + command.get(0)
                + ": no such program, or not executable");
    }

    /** A file can be replaced: by renaming a new one over it, so its directory counts. */
    public static void replaceable(Host host, String file) throws IOException, InterruptedException {
        require(host, List.of("sh", "-c", "test -w \"$1\" && test -w \"${1%/*}\"", "sh", file), "cannot replace " + file
                + ": it and its directory must be writable");
    }

    /** A process can be signalled. */
    public static void signal(Host host, String pid) throws IOException, InterruptedException {
        require(host, List.of("kill", "-0", pid), "cannot signal process " + pid + ": it belongs to someone else");
    }

    private static void require(Host host, List<String> command, String otherwise)
            throws IOException, InterruptedException {
        if (!host.run(command, DEADLINE).succeeded()) {
            throw new IOException(otherwise);
        }
    }
}
