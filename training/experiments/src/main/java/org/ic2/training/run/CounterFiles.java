// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** The kernel's counters; empty where it has none. */
final class CounterFiles {
    private static final double MICROS = 1e6;

    private CounterFiles() {
    }

    /** The first number behind a key at the begin of a line. */
    static OptionalDouble number(Path file, String key) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key)).mapToDouble(line -> Double.parseDouble(
                    line.substring(key.length()).strip().split("\\s+")[0])).findFirst();
        } catch (IOException | UncheckedIOException e) {
            return OptionalDouble.empty();
        }
    }

    /** CPU seconds that a control group has used so far. */
    static OptionalDouble used(Optional<Path> group) {
        return group.isEmpty() ? OptionalDouble.empty() : seconds(number(group.get().resolve("cpu.stat"), "usage_usec"));
    }

    /** Seconds in which everything in the group that could run waited for a CPU (PSI {@code full}). */
    static OptionalDouble stalled(Optional<Path> group) {
        if (group.isEmpty()) {
            return OptionalDouble.empty();
        }
        try (Stream<String> lines = Files.lines(group.get().resolve("cpu.pressure"))) {
            return seconds(lines.filter(line -> line.startsWith("full"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf('=') + 1))).findFirst());
        } catch (IOException | UncheckedIOException e) {
            return OptionalDouble.empty();
        }
    }

    private static OptionalDouble seconds(OptionalDouble micros) {
        return micros.isPresent() ? OptionalDouble.of(micros.getAsDouble() / MICROS) : micros;
    }
}
