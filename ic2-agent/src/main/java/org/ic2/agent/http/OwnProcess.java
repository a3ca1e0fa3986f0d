// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** What the agent itself costs, as the system counts it; nothing where the system does not say. */
final class OwnProcess {
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final double KILO = 1024;

    private OwnProcess() {
    }

    static Optional<Double> cpuSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().map(time -> time.toNanos() / NANOS);
    }

    /** Since 1970. */
    static Optional<Double> startSeconds() {
        return ProcessHandle.current().info().startInstant().map(start -> start.toEpochMilli() / MILLIS);
    }

    static Optional<Double> residentBytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> KILO * Double.parseDouble(line.replaceAll("\\D", ""))).findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();   // not Linux
        }
    }
}
