// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What a recording says about the machine and the versions behind it; nothing that identifies it. */
final class Machine {
    /** Where Linux lists the processor's counters, if it has found any. */
    private static final Path COUNTERS = Path.of("/sys/bus/event_source/devices/cpu");

    private Machine() {
    }

    /** Whether there are hardware counters to count with. */
    static boolean hasCounters() {
        return Files.exists(COUNTERS);
    }

    /** CPUs of the machine, whichever of them are ours to run on. */
    static int cpus() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            return (int) lines.filter(line -> line.matches("cpu\\d+ .*")).count();
        }
    }

    static Map<String, String> facts() throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("cpus", Integer.toString(cpus()));
        facts.put("cpu", line(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("memory", line(Path.of("/proc/meminfo"), "MemTotal"));
        // without the name of the build
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version").split("-", 2)[0]);
        facts.put("java", System.getProperty("java.version"));
        facts.put("ic2", versionOf(Machine.class));
        return facts;
    }

    private static String versionOf(Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private static String line(Path file, String key) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key)).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
