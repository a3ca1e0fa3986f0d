// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ic2.fleet.Recordings;
import org.ic2.fleet.Spark;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 in the middle of ingest, fit and evaluate: nothing half written has the name of an output, and the next run works. */
class KilledTest {
    private static final long PATIENCE_S = 180;
    /** What their outputs are called, in the order of {@link ThreeVerbs#commands}. */
    private static final List<String> VERBS = List.of("ingested", "fitted", "judged");
    private static final int SAMPLES = 5 * 400;

    @TempDir
    private Path folder;

    @Test
    void aKilledRunLeavesNothingThatIsReadAndTheNextRunWorks() throws IOException, InterruptedException {
        Spark.session();
        Path input = Recordings.fleet(folder.resolve("in"), 5, 400);
        assertThat(Ic2Fleet.run(List.of("ingest", input.toString(), "--store", folder.resolve("store").toString()))).isZero();
        Process process = begin();
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
            do {
                signal(process, "CONT");
                assertThat(process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > end).as(Files.readString(folder.resolve("log"))).isFalse();
                // what stands still cannot finish between the look and the kill
                signal(process, "STOP");
            } while (begun().size() < VERBS.size());
        } finally {
            process.destroyForcibly().waitFor();
        }
        List<String> killed = List.copyOf(begun());
        assertThat(killed).hasSize(VERBS.size()).noneMatch(name -> Files.exists(folder.resolve(name)));
        assertThat(outputs()).allMatch(output -> Files.exists(output.resolve(Manifest.NAME)));
        for (String output : killed) {
            String[] parts = output.split("[-/]");
            assertThat(Ic2Fleet.run(ThreeVerbs.commands(folder, Integer.parseInt(parts[1])).get(VERBS.indexOf(parts[0])))).isZero();
            assertThat(folder.resolve(output).resolve(Manifest.NAME)).exists();
        }
        String ingested = killed.stream().filter(name -> name.startsWith(VERBS.get(0))).findFirst().orElseThrow();
        assertThat(SampleStore.read(Spark.session(), folder.resolve(ingested).getParent().toString()).count()).isEqualTo(SAMPLES);
    }

    private Process begin() throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-javaagent")).toList());
        // what a killed Spark leaves goes with the test's folder
        command.add("-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")));
        command.addAll(List.of("-cp", System.getProperty("java.class.path") + File.pathSeparator
                + System.getProperty("surefire.test.class.path", ""), "org.ic2.fleet.cli.ThreeVerbs", folder.toString()));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
    }

    /** The outputs, below the folder, that something has been written for and that have not appeared. */
    private TreeSet<String> begun() throws IOException {
        TreeSet<String> begun = new TreeSet<>();
        for (Path path : below()) {
            if (path.getFileName().toString().startsWith(".ic2-fleet-") && !list(path).isEmpty()) {
                begun.add(folder.relativize(path).toString().replaceAll("\\.ic2-fleet-(.*)(-\\w+){5}", "$1"));
            }
        }
        return begun;
    }

    /** The outputs that have appeared. */
    private List<Path> outputs() throws IOException {
        return below().stream().filter(path -> path.getFileName().toString().matches("(fitted|judged)-\\d+|batch=\\d+")).toList();
    }

    private List<Path> below() throws IOException {
        List<Path> below = new ArrayList<>();
        for (Path path : list(folder)) {
            below.add(path);
            below.addAll(path.getFileName().toString().startsWith("ingested-") ? list(path) : List.of());
        }
        return below;
    }

    private static List<Path> list(Path of) throws IOException {
        if (!Files.isDirectory(of)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(of)) {
            return all.toList();
        }
    }
}
