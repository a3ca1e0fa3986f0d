// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ic2.knowledge.control.policy.Ladder;

/** The experiments of docs/testbed.md. */
public final class Experiments {
    private static final long LEAST_MIB = 32;
    private static final String LLC = "llcprobe --size " + LEAST_MIB + "MiB";
    private static final Path CACHES = Path.of("/sys/devices/system/cpu/cpu0/cache");
    private static final int ROUNDS = 3;
    private static final int WINDOW = 8;
    /** In this time the largest neighbour touches its 3 GB. */
    private static final Duration RAMP_UP = Duration.ofSeconds(20);

    private Experiments() {
    }

    /** All of them, where neighbours may have these placements, the usual one first. */
    public static List<Experiment> all(List<String> placements) {
        List<NeighbourSlot> usual = List.of(NeighbourSlot.ALONE, beside(probe(placements), placements.get(0)));
        return List.of(
                usual("effect", "The recommended setting, alone and beside the neighbour", usual,
                        Duration.ofSeconds(15)),
                usual("neighbours", "The tier alone and beside each neighbour", neighbours(placements), RAMP_UP),
                // times that let many settings fit into eight minutes
                varied(usual, "mxc", "MaxRequestWorkers", "MaxRequestWorkers", 4, Stream.of("60", "90", "120", "240")
                        .map(value -> tuning(value, "MaxRequestWorkers", value)).toList()),
                varied(usual, "kat", "KeepAliveTimeout", "KeepAliveTimeout (s)", 4, Stream.of("300ms", "1", "4", "10")
                        .map(value -> tuning(value, "KeepAliveTimeout", value)).toList()),
                varied(usual, "php", "PHP children (pm.max_children, by reload)", "PHP children", 8, IntStream.of(4, 8, 60)
                        .mapToObj(count -> new WebTierSetting(Integer.toString(count), base(), OptionalInt.of(count))).toList()),
                // level 2 is for bots, and the load has none
                varied(usual, "levels", "The mitigation ladder", "level", 4, IntStream.rangeClosed(0, Ladder.SHIPPED_LEVELS)
                        .filter(level -> level != 2).mapToObj(Integer::toString)
                        .map(level -> tuning(level, "MITIGATION", level)).toList()),
                varied(usual, "starvation", "MaxRequestWorkers below the users with a long KeepAliveTimeout", "MXC / KAT", 8, List.of(
                        tuning("240 / 1 s"), tuning("75 / 1 s", "MaxRequestWorkers", "75"),
                        tuning("240 / 4 s", "KeepAliveTimeout", "4"),
                        tuning("75 / 4 s", "MaxRequestWorkers", "75", "KeepAliveTimeout", "4"))));
    }

    /**
     * The experiment of that name.
     *
     * @param placements where neighbours may be, the usual one first
     * @throws IllegalArgumentException naming all of them
     */
    public static Experiment find(String name, List<String> placements) {
        return all(placements).stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow(() ->
                new IllegalArgumentException(name + ": no such experiment; there are " + all(placements).stream().map(Experiment::name)
                        .collect(Collectors.joining(", "))));
    }

    /** Where a neighbour takes caches alone, its array is twice as large as the largest of them; it would stay in one of its own size. */
    private static String probe(List<String> placements) {
        return placements.contains("same-core") ? LLC : "llcprobe --size " + Math.max(LEAST_MIB, 2 * largestCacheMib()) + "MiB";
    }

    /** As the kernel lists them; 0 where it lists none. */
    private static long largestCacheMib() {
        try (DirectoryStream<Path> sizes = Files.newDirectoryStream(CACHES, "index*")) {
            long largest = 0;
            for (Path one : sizes) {
                largest = Math.max(largest, Long.parseLong(Files.readString(one.resolve("size")).strip().replace("K", "")));
            }
            return largest / 1024;
        } catch (IOException e) {
            return 0;
        }
    }

    private static Experiment usual(String name, String title, List<NeighbourSlot> neighbours, Duration rampUp) {
        return new Experiment(name, title, "setting", new Slots(List.of(tuning("base")), neighbours, ROUNDS,
                Duration.ofSeconds(5), Duration.ofSeconds(10)), Duration.ofSeconds(5), rampUp);
    }

    private static Experiment varied(List<NeighbourSlot> usual, String name, String title, String axis, int settle, List<WebTierSetting> tunings) {
        return new Experiment(name, title, axis, new Slots(tunings, usual, ROUNDS,
                Duration.ofSeconds(settle), Duration.ofSeconds(WINDOW)), Duration.ofSeconds(4), RAMP_UP);
    }

    private static List<NeighbourSlot> neighbours(List<String> placements) {
        List<NeighbourSlot> result = new ArrayList<>(List.of(NeighbourSlot.ALONE));
        for (String placement : placements) {
            for (String program : List.of("dcopy --size 20MB", "dcopy --size 1.5GB", LLC)) {
                result.add(beside(program, placement));
            }
        }
        return result;
    }

    private static NeighbourSlot beside(String program, String placement) {
        return new NeighbourSlot(program.replace("--size ", "") + ", " + placement.replace('-', ' '), program, placement);
    }

    private static Map<String, String> base() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("MaxRequestWorkers", "240");
        values.put("KeepAliveTimeout", "1");
        values.put("MITIGATION", "0");
        return values;
    }

    /** The recommended setting with some values changed: name, value, name, value. */
    private static WebTierSetting tuning(String label, String... changes) {
        Map<String, String> values = base();
        for (int i = 0; i < changes.length; i += 2) {
            values.put(changes[i], changes[i + 1]);
        }
        return new WebTierSetting(label, values, OptionalInt.empty());
    }
}
