// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations that arrive whether the server keeps up or not. Its server answers after 10, 20 or 40 ms. */
class OpenLoopTest {
    private static final int MOST_TRIES = 15;
    private static final long LEAST_OF_200 = 150;

    @TempDir
    private Path folder;

    private final List<Interval> intervals = new ArrayList<>();

    private LoadRun.Result run(int users, double rate) throws Exception {
        try (DelayServer server = new DelayServer()) {
            String xml = Samples.text("run.xml").replace(">18080<", ">" + server.port() + "<").replace(">500<", ">" + users + "<")
                    .replace(">15<", ">0<").replace(">60<", ">4<").replace("<fa:rampDown>5<", "<fa:rampDown>0<");
            RunConfig c = RunConfigReader.read(Files.writeString(folder.resolve("run.xml"), xml));
            RunConfig config = new RunConfig(c.file(), c.document(), c.definition(), c.scale(), c.threads(), c.rampUp(), c.steady(),
                    c.rampDown(), null, Duration.ofMillis(1), c.simultaneous(), c.detailInterval(), true, Duration.ofSeconds(1),
                    c.properties(), 7L, c.warnings());
            ResultFolder target = ResultFolder.nextBelow(folder.resolve("runs"));
            return new LoadRun(new LoadRun.Setup(config, Samples.probe(), target, target.path().resolve("intervals.csv"), null,
                    (elapsed, planned, interval) -> intervals.add(interval), Clock.systemUTC(), Duration.ofMillis(200),
                    OptionalDouble.of(rate))).run();
        }
    }

    private String queued() throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("runs/1/intervals.csv"));
        return lines.get(lines.size() - 1).split(",", -1)[List.of(lines.get(0).split(",")).indexOf("queued")];
    }

    @Test
    void asManyOperationsAreDoneAsArriveWithEnoughUsers() throws Exception {
        LoadRun.Result result = run(40, 50);
        for (int tries = 1; tries < MOST_TRIES && !keptUp(result); tries++) {
            intervals.clear();
            result = run(40, 50);
        }
        assertThat(result.successes()).as("200 on the average, by the seed").isBetween(LEAST_OF_200, 250L);
        assertThat(result.failures()).isZero();
        assertThat(intervals).as("a second in which no operation waited for a user").anyMatch(OpenLoopTest::unhurried);
    }

    /** Whether this machine left the load enough CPU for a run that tells something. */
    private boolean keptUp(LoadRun.Result result) {
        return result.successes() >= LEAST_OF_200 && intervals.stream().anyMatch(OpenLoopTest::unhurried);
    }

    private static boolean unhurried(Interval second) {
        return second.successes() > 0 && second.mean() < 0.05;
    }

    @Test
    void responseTimeIncludesTheWaitForAFreeUser() throws Exception {
        run(1, 100);
        Interval last = intervals.get(intervals.size() - 1);
        assertThat(last.successes()).as("one user does fifty a second").isPositive();
        assertThat(last.mean()).as("the server answers within 0.04 s, but they were wanted long before").isGreaterThan(0.5);
        assertThat(Integer.parseInt(queued())).isGreaterThan(50);
    }

    @Test
    void aSeedGivesTheSameMomentsAgain() throws Exception {
        assertThat(moments(3)).isEqualTo(moments(3)).isNotEqualTo(moments(4)).isSorted();
    }

    private static List<Long> moments(long seed) throws InterruptedException {
        OpenLoop arrivals = new OpenLoop(1000, new Random(seed), new StatsRecorder(Samples.probe(), 1));
        arrivals.start(0);
        List<Long> moments = new ArrayList<>();
        while (moments.size() < 50) {
            moments.add(arrivals.take().getAsLong());
        }
        arrivals.end();
        assertThat(arrivals.take()).isEqualTo(OptionalLong.empty());
        return moments;
    }
}
