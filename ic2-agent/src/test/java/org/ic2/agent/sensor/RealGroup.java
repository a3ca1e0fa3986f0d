// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.ic2.runtime.testing.Waiting;

/** A control group of this machine, by which counters count, and the processes that a test starts in it. */
final class RealGroup implements AutoCloseable {
    static final String ROOT = "/sys/fs/cgroup/";

    final String name = "ic2-test-" + ProcessHandle.current().pid();
    private final Path directory;
    private final List<Process> started = new ArrayList<>();

    /** Skips the test where none can be made. */
    RealGroup() throws IOException {
        Path parent = Stream.of("perf_event", "unified", "").map(place -> Path.of(ROOT, place))
                .filter(place -> Files.exists(place.resolve("cgroup.procs"))).findFirst().orElse(Path.of(ROOT));
        assumeTrue(Files.isWritable(parent.resolve("cgroup.procs")), "needs root, and control groups that can be written");
        directory = parent.resolve(name);
        Files.createDirectory(directory);
    }

    Path directory() {
        return directory;
    }

    /** A process of the group that keeps a CPU busy. */
    void burn() throws Exception {
        start("sh", "-c", "echo $$ >" + directory.resolve("cgroup.procs") + "; while :; do :; done");
        Waiting.until("a member of the group", () -> !members().isEmpty());
    }

    /** A process elsewhere. */
    Process start(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        started.add(process);
        return process;
    }

    List<String> members() throws IOException {
        return Files.exists(directory) ? Files.readAllLines(directory.resolve("cgroup.procs")) : List.of();
    }

    /** Ends all members, as who stops a tier does, and removes the group. */
    void remove() throws Exception {
        for (String pid : members()) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
        }
        Waiting.until("an empty group", () -> members().isEmpty());
        Waiting.until("the end of the group", () -> {
            Files.deleteIfExists(directory);
            return true;
        });
    }

    void makeAgain() throws IOException {
        Files.createDirectory(directory);
    }

    @Override
    public void close() throws IOException {
        started.forEach(process -> process.destroyForcibly().onExit().join());
        try {
            remove();
        } catch (Exception e) {
            throw new IOException("cannot remove " + directory, e);
        }
    }
}
