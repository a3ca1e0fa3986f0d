// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command with whatever it starts, in a process group of its own. Its life is bounded by {@code timeout}, which outlives
 * us: what we could not end before we were killed ends soon after.
 */
final class ProcessGroup {

    private static final Duration END_DEADLINE = Duration.ofSeconds(2);
    private static final int POLL_MILLIS = 5;

    private final Process leader;

    /** @param leader of {@link #command} */
    ProcessGroup(Process leader) {
        this.leader = leader;
    }

    /** The command line that makes a command the leader of a group, which ends at the deadline at the latest. */
    static List<String> command(List<String> command, Duration deadline) {
        List<String> words = new ArrayList<>(List.of("timeout", "-s", "KILL", (deadline.toMillis() + 999) / 1000 + "s"));
        words.addAll(command);
        return words;
    }

    /**
     * Kills them all and waits for their end.
     *
     * @return false when some of them cannot be killed, because they are another user's or hang in the kernel
     */
    boolean end() {
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + END_DEADLINE.toNanos();
        boolean gone = false;
        while (!gone && System.nanoTime() < end) {
            interrupted |= kill() | pause();
            gone = !leader.isAlive() && isEmpty();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return gone;
    }

    /** True when it was interrupted. */
    private boolean kill() {
        try {
            new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + leader.pid())
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
            return false;
        } catch (InterruptedException e) {
            return true;
        } catch (IOException e) {
            // there is no process to be had for it: what can be found is ended without
            leader.descendants().forEach(ProcessHandle::destroyForcibly);
            return false;
        } finally {
            leader.destroyForcibly();
        }
    }

    /** True when it was interrupted. */
    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** True if none of the group is left; false also where that cannot be told. */
    boolean isEmpty() {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : processes) {
                if (isAliveHere(process.resolve("stat"))) {
                    return false;
                }
            }
            return true;
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
    }

    /** True for one of the group that has not ended; the fields behind the name are state, parent and group. */
    private boolean isAliveHere(Path stat) {
        try {
            String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", 4);
            return fields[2].equals(Long.toString(leader.pid())) && !fields[0].equals("Z") && !fields[0].equals("X");
        } catch (IOException e) {
            return false;   // it has ended meanwhile
        }
    }
}
