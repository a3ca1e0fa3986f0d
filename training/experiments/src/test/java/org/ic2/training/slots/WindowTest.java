// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.ic2.training.run.TierCounters;
import org.ic2.training.run.Intervals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the load's lines and the counters to windows, and from windows to files. */
class WindowTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final List<String> PLACEMENTS = List.of("same-core", "other-core");
    private static final NeighbourSlot LLC = new NeighbourSlot("llcprobe 32MiB, same core", "llcprobe --size 32MiB", "same-core");

    @TempDir
    private Path folder;

    private static Intervals line(double end, Object... more) {
        Map<String, Double> values = new HashMap<>(Map.of("throughput", 100.0, "response_time", 0.1,
                "interactive_response_time", 0.1, "pending_users", 4.0, "oldest_wait", 0.2, "connects", 50.0, "errors", 0.0,
                "leaks", 0.0, "generator_lag", 0.001));
        for (int i = 0; i < more.length; i += 2) {
            values.put((String) more[i], (Double) more[i + 1]);
        }
        values.putIfAbsent("elapsed", end - 1000);
        return new Intervals(end, "steady", values, Optional.empty());
    }

    /** Lines of a load that began at 1000. */
    private static List<Intervals> lines(Intervals... lines) {
        return Intervals.inTurn(List.of(lines));
    }

    private static TierCounters at(double time) {
        return new TierCounters(time, 0, 0, 0, 0, 0);
    }

    @Test
    void aWindowTakesExactlyTheLinesInsideItAndWeighsThem() {
        List<Intervals> lines = lines(line(1005, "response_time", 99.0),
                line(1010, "throughput", 50.0, "response_time", 0.4, "pending_users", 9.0),
                line(1015, "throughput", 150.0, "response_time", 0.2, "oldest_wait", 3.0),
                line(1017, "response_time", 99.0)); // shorter: the load ended
        Map<String, Double> figures = Window.figures(lines, at(1005.02), new TierCounters(1015.02, 5, 5, 4, 10.5, 0), INTERVAL);
        assertThat(figures).containsEntry("throughput", 100.0).containsEntry("pending_users", 4.0).containsEntry("oldest_wait", 3.0);
        assertThat(figures.get("response_time")).isCloseTo((50 * 0.4 + 150 * 0.2) / 200, within(1e-12));
        assertThat(figures.get("connects")).isCloseTo(10, within(1e-6));
        assertThat(figures.get("cpu_use")).isCloseTo(0.5, within(1e-6));
        assertThat(figures.get("cpu_per_operation")).isCloseTo(5, within(1e-6));
        assertThat(figures.get("stall")).isCloseTo(0.4, within(1e-6));
        assertThat(figures.get("foreign")).isCloseTo(0.05, within(1e-6));
        assertThat(new Window(slot("a", NeighbourSlot.ALONE, 1), figures).disturbed()).isFalse();
    }

    @Test
    void aLineThatWasWrittenLateCountsWhereItsIntervalWas() {
        List<Intervals> lines = Intervals.onTime(List.of(line(1007.3, "elapsed", 5.0), line(1010.1, "elapsed", 10.1),
                line(1018, "elapsed", 15.0)));
        assertThat(lines).extracting(Intervals::time).containsExactly(1005.0, 1010.1, 1015.0);
    }

    @Test
    void foreignWorkMakesAWindowWorthless() {
        Map<String, Double> figures = Window.figures(lines(line(1005), line(1010)), at(1000), new TierCounters(1010, 5, 0, 0, 8, 0),
                INTERVAL);
        assertThat(new Window(slot("a", NeighbourSlot.ALONE, 1), figures).disturbed()).isTrue();
    }

    @Test
    void aWindowWithoutCompletionsHasNoResponseTimeButCounts() {
        Intervals empty = line(1005, "throughput", 0.0, "response_time", Double.NaN,
                "interactive_response_time", Double.NaN);
        Map<String, Double> figures = Window.figures(lines(empty), at(1000), at(1005), INTERVAL);
        assertThat(figures.get("response_time")).isNaN();
        assertThat(figures.get("cpu_per_operation")).isNaN();
        assertThat(figures).containsEntry("pending_users", 4.0);
    }

    @Test
    void missingLinesAreAnErrorAndNotASmallerWindow() throws IOException {
        assertThatThrownBy(() -> Window.figures(lines(line(1004)), at(1000), at(1010), INTERVAL))
                .hasMessageContaining("expected lines of the load from 1000.0 to 1010.0, got 1, the last of 1004.0");
        Files.createDirectories(folder.resolve("load"));
        Files.writeString(folder.resolve("load/intervals.csv"), "time,elapsed,phase,throughput\n1004,4,steady,1\n");
        Files.writeString(folder.resolve(TierCounters.FILE), "header\n1000,,,,0,0\n1010,,,,0,0\n");
        assertThatThrownBy(() -> Window.read(folder, Experiments.find("effect", PLACEMENTS), List.of(slot("a", NeighbourSlot.ALONE, 1))))
                .isInstanceOf(IOException.class).hasMessageContaining("was the load interrupted?");
        Files.writeString(folder.resolve(TierCounters.FILE), "header\n1000,,,,0,0\n1010,,,");
        assertThatThrownBy(() -> Window.read(folder, Experiments.find("effect", PLACEMENTS), List.of(slot("a", NeighbourSlot.ALONE, 1))))
                .isInstanceOf(IOException.class).hasMessageContaining("expected 2 readings, got 1");
    }

    @Test
    void aMachineThatDoesNotCountAGroupsCpuLeavesThoseColumnsEmpty() throws IOException {
        TierCounters none = new TierCounters(1000, Double.NaN, Double.NaN, Double.NaN, 1, 0);
        Map<String, Double> figures = Window.figures(lines(line(1005)), none, new TierCounters(1005, Double.NaN, Double.NaN, Double.NaN, 2, 1),
                INTERVAL);
        assertThat(figures).containsEntry("steal", 0.2).containsEntry("throughput", 100.0);
        Window window = new Window(slot("a", NeighbourSlot.ALONE, 1), figures);
        assertThat(window.disturbed()).isFalse();
        Experiment one = experiment(List.of(window.slot().tuning()), List.of(NeighbourSlot.ALONE));
        assertThat(WindowFiles.write(folder, one, List.of(window))).contains("| a | alone | 1 | 100.0 |").contains("| - |");
        assertThat(Files.readString(folder.resolve("windows.csv"))).endsWith(",0,0.001,,,,,0.2\n");
    }

    private static Slot slot(String label, NeighbourSlot beside, int round) {
        return new Slot(round, new WebTierSetting(label, Map.of(), OptionalInt.empty()), beside);
    }

    private static Experiment experiment(List<WebTierSetting> tunings, List<NeighbourSlot> neighbours) {
        return new Experiment("e", "E <1>", "x", new Slots(tunings, neighbours, 2, INTERVAL, INTERVAL.multipliedBy(2)), INTERVAL,
                INTERVAL);
    }

    @Test
    void resultsAreACsvOfWindowsATableWithRangesAndAPlot() throws IOException {
        Map<String, Double> figures = Window.figures(lines(line(1005), line(1010)), at(1000), new TierCounters(1010, 5, 0, 0, 5, 0), INTERVAL);
        List<Window> windows = new ArrayList<>();
        for (int round = 1; round <= 2; round++) {
            for (String label : List.of("a", "b")) {
                for (NeighbourSlot beside : List.of(NeighbourSlot.ALONE, LLC)) {
                    Map<String, Double> own = new LinkedHashMap<>(figures);
                    own.put("response_time", 0.1 * round * (beside.present() ? 5 : 1));
                    own.put("request_p95", 0.3);
                    windows.add(new Window(slot(label, beside, round), own));
                }
            }
        }
        Map<String, Double> disturbed = new LinkedHashMap<>(figures);
        disturbed.put("foreign", 0.3);
        windows.add(new Window(slot("a", NeighbourSlot.ALONE, 3), disturbed));
        Experiment experiment = experiment(List.of(windows.get(0).slot().tuning(), windows.get(2).slot().tuning()),
                List.of(NeighbourSlot.ALONE, LLC));
        String table = WindowFiles.write(folder, experiment, windows);
        List<String> lines = Files.readAllLines(folder.resolve("windows.csv"));
        assertThat(lines).hasSize(1 + 9);
        assertThat(lines.get(0)).isEqualTo("round,setting,neighbour,placement,disturbed,throughput,response_time,request_p95,"
                + "interactive_response_time,pending_users,oldest_wait,connects,errors,leaks,generator_lag,cpu_use,cpu_per_operation,"
                + "stall,foreign,steal");
        assertThat(lines.get(2)).isEqualTo("1,a,\"llcprobe 32MiB, same core\",same-core,0,100,0.5,0.3,0.1,4,0.2,10,0,0,0.001,0.5,5,0,0,0");
        assertThat(lines.get(9)).startsWith("3,a,alone,,1,");
        assertThat(table).isEqualTo(Files.readString(folder.resolve("table.md")))
                .contains("| x | neighbour | windows | X, 1/s | mean, s |")
                .contains("| a | alone | 2 | 100.0 [100.0..100.0] | 0.150 [0.100..0.200] |")
                .contains("| b | llcprobe 32MiB, same core | 2 | 100.0 [100.0..100.0] | 0.750 [0.500..1.000] |");
        String plot = Files.readString(folder.resolve("plot.svg"));
        assertThat(plot).startsWith("<svg xmlns").contains("E &lt;1&gt;", "llcprobe 32MiB, same core", "mean (s)", ">a<", ">b<");
        assertThat(plot.split("<circle").length - 1).as("six panels, two settings, two neighbours").isEqualTo(6 * 4);
    }
}
