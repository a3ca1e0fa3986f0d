// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Writes down, about once a second, what the web tier and the agent have used so far. It does not need the agent, so that
 * runs with and without one are measured alike.
 */
final class Meter {
    static final String FILE = "usage.csv";
    private static final String HEADER = "time,tier_cpu,agent_cpu,agent_memory";
    private static final double KIB_PER_MIB = 1024;

    private final Path file;
    private final Optional<Path> group;
    private final Optional<ProcessHandle> agent;
    private final boolean inside;

    /**
     * @param group the directory of the tier's control group with {@code cpu.stat}, if the machine has one
     * @param agent the agent's process, if there is one
     * @param place where it runs; inside, its CPU time is in the group's and is no part of the tier's
     */
    Meter(Path file, Optional<Path> group, Optional<ProcessHandle> agent, AgentArm.Place place) throws IOException {
        this.file = file;
        this.group = group;
        this.agent = agent;
        inside = place == AgentArm.Place.INSIDE;
        Files.writeString(file, HEADER + "\n");
    }

    void read(Instant now) {
        try {
            OptionalDouble used = CounterFiles.used(group);
            OptionalDouble own = cpu();
            OptionalDouble tier = used.isPresent() && inside ? OptionalDouble.of(used.getAsDouble() - own.orElse(0)) : used;
            Files.writeString(file, String.format(Locale.ROOT, "%.3f,%s,%s,%s%n", now.toEpochMilli() / 1000.0,
                    cell("%.6f", tier), cell("%.2f", own), cell("%.1f", memory())), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private static String cell(String format, OptionalDouble value) {
        return value.isPresent() ? String.format(Locale.ROOT, format, value.getAsDouble()) : "";
    }

    /** CPU seconds of the agent and of what it has started. */
    private OptionalDouble cpu() {
        return agent.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(
                Stream.concat(agent.stream(), agent.get().descendants()).mapToDouble(one -> CounterFiles.used(one.pid(), true)).sum());
    }

    /** Resident memory of the agent itself, MiB. */
    private OptionalDouble memory() {
        OptionalDouble kib = agent.isEmpty() ? OptionalDouble.empty()
                : CounterFiles.number(Path.of("/proc", Long.toString(agent.get().pid()), "status"), "VmRSS:");
        return kib.isPresent() ? OptionalDouble.of(kib.getAsDouble() / KIB_PER_MIB) : kib;
    }
}
