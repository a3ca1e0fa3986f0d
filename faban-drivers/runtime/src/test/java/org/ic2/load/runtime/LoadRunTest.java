// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.ic2.load.http.TestServer;
import org.ic2.load.http.TestServer.Reply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LoadRunTest {
    private static final long NANOS = 1_000_000_000L;
    private static final String[] PATHS = {"/10", "/20", "/40"};

    @TempDir
    private Path folder;

    private final List<Interval> intervals = new ArrayList<>();

    private LoadRun load(int port, int users, double thinkMillis, String phases, Duration stats, LoadRun.Watcher watcher)
            throws IOException, ConfigError {
        String[] seconds = phases.split("/");
        String xml = Samples.text("run.xml").replace(">18080<", ">" + port + "<").replace(">500<", ">" + users + "<")
                .replace(">15<", ">" + seconds[0] + "<").replace(">60<", ">" + seconds[1] + "<")
                .replace("<fa:rampDown>5<", "<fa:rampDown>" + seconds[2] + "<").replace("<delay>8<", "<delay>1<");
        RunConfig c = RunConfigReader.read(Files.writeString(folder.resolve("run.xml"), xml));
        RunConfig config = new RunConfig(c.file(), c.document(), c.definition(), c.scale(), c.threads(), c.rampUp(), c.steady(),
                c.rampDown(), null, c.threadDelay(), c.simultaneous(), c.detailInterval(), true, stats, c.properties(), 7L,
                c.warnings());
        DriverModel model = Samples.probe();
        ResultFolder target = ResultFolder.nextBelow(folder.resolve("runs"));
        return new LoadRun(new LoadRun.Setup(config, model.withCycle(model.cycle().withMean(thinkMillis)), target,
                target.path().resolve("intervals.csv"), null, (elapsed, planned, interval) -> {
                    intervals.add(interval);
                    watcher.interval(elapsed, planned, interval);
                }, Clock.systemUTC(), Duration.ofMillis(200), OptionalDouble.empty()));
    }

    private String file(String name) {
        try {
            return Files.readString(folder.resolve("runs/1").resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * 500 users: what they measure is what the server measures, plus at most 1 ms. Other work on the machine delays both
     * sides now and then, so the calm quarter of the intervals decides. Where that work never rests, what a thread waits for a CPU in
     * an interval is not the load's, once for the server's answer and once for the user, but 2 ms at most.
     */
    @Tag("times")
    @Test
    void theMeanOfFiveHundredUsersAgreesWithTheServersOwnWithinAMillisecond() throws Exception {
        List<Double> errors = new ArrayList<>();
        List<Double> excess = new ArrayList<>();
        try (DelayServer server = new DelayServer(); Lateness lateness = new Lateness()) {
            DelayServer.Measured[] before = new DelayServer.Measured[3];
            LoadRun run = load(server.port(), 500, 1500, "4/12/1", Duration.ofSeconds(1), (elapsed, planned, interval) -> {
                double error = 0;
                for (int op = 0; op < 3; op++) {
                    DelayServer.Measured now = server.measured(PATHS[op]);
                    if (before[op] != null) {
                        error += (interval.operations().get(op).mean() - now.meanSince(before[op]))
                                * interval.operations().get(op).successes() / interval.successes();
                    }
                    before[op] = now;
                }
                double late = lateness.meanSinceLast();
                if (interval.phase() == Timeline.Phase.STEADY) {
                    errors.add(error);
                    excess.add(error - Math.min(2 * late, 0.002));
                }
            });
            LoadRun.Result result = run.run();
            assertThat(result.failures()).isZero();
            errors.sort(Double::compare);
            excess.sort(Double::compare);
            assertThat(errors).as("of 12 seconds; two that are cut late are one").hasSizeGreaterThan(6);
            assertThat(excess.get(excess.size() / 4)).as("client - server, s: %s; without a thread's waits for a CPU, s: %s", errors, excess)
                    .isLessThan(0.001);
            assertThat(errors.get(errors.size() / 2)).as("no user measures less than the server: %s", errors).isGreaterThan(-0.0002);
            assertThat(result.successes() / result.seconds()).as("N / (Z + R)").isCloseTo(500 / (1.49 + 0.0207), within(20.0));
        }
        double[] mix = {.303, .530, .167};
        List<Interval> steady = intervals.stream().filter(i -> i.phase() == Timeline.Phase.STEADY).toList();
        double total = steady.stream().mapToLong(Interval::successes).sum();
        for (int op = 0; op < 3; op++) {
            int index = op;
            long n = steady.stream().mapToLong(i -> i.operations().get(index).successes()).sum();
            assertThat(n / total).isCloseTo(mix[op], within(0.03));
        }
        List<Double> starved = steady.stream().map(i -> Math.abs(i.interactiveResponseTime() - i.mean())).sorted().toList();
        assertThat(starved.get(starved.size() / 2)).as("no user starves: %s", starved).isLessThan(0.005);
        List<Double> thinks = steady.stream().map(Interval::thinkTime).sorted().toList();
        assertThat(thinks.get(thinks.size() / 2)).isCloseTo(1.49, within(0.3));
    }

    @Test
    void writesEveryIntervalAtOnceSoThatAnotherProgramCanFollow() throws Exception {
        List<Long> lines = new ArrayList<>();
        try (DelayServer server = new DelayServer()) {
            load(server.port(), 20, 100, "1/4/1", Duration.ofSeconds(1), (elapsed, planned, interval) -> {
                lines.add(file("intervals.csv").lines().count());
                lines.add(file("driver.log").lines().filter(l -> l.contains("dumpStats - ")).count());
                assertThat(planned).isEqualTo(6);
            }).run();
        }
        // on a busy machine two intervals may be one
        assertThat(intervals).hasSizeBetween(2, 6);
        assertThat(lines).isEqualTo(LongStream.rangeClosed(1, intervals.size()).boxed()
                .flatMap(i -> Stream.of(i + 1, i)).toList());
        assertThat(file("driver.log")).contains("This is the embedded runtime of IC2, not Faban", "Ramp up completed",
                "Steady state completed", "Ramp down completed", "Started all threads; run commences in 200 ms");
        assertThat(file("summary.xml")).contains("<users>20</users>");
        assertThat(file("detail.xan")).contains("Section: ProbeDriver Throughput");
        List<String[]> rows = file("intervals.csv").lines().skip(1).map(line -> line.split(",", -1)).toList();
        assertThat(rows).allSatisfy(row -> {
            assertThat(row).hasSameSizeAs(IntervalCsv.HEADER.split(","));
            assertThat(row[0]).matches("\\d{10}\\.\\d{3}");
        }).anySatisfy(row -> assertThat(row[2]).isEqualTo("steady"));
    }

    @Test
    void usersWhoGetNoAnswerShowUpBesideAFineMean() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (TestServer server = new TestServer(call -> {
            if (call.connection() <= 4) {
                await(end);
            }
            return Reply.of(200, "ok");
        })) {
            AtomicReference<LoadRun> self = new AtomicReference<>();
            self.set(load(server.port(), 12, 200, "1/40/1", Duration.ofSeconds(1), (elapsed, planned, interval) -> {
                if (showsThemBesideAFineMean(interval)) {
                    self.get().stop();
                }
            }));
            self.get().run();
            end.countDown();
        }
        assertThat(intervals).last().as("an interval in which the machine held up no other process")
                .matches(LoadRunTest::showsThemBesideAFineMean);
    }

    private static boolean showsThemBesideAFineMean(Interval interval) {
        return interval.pending() >= 4 && interval.oldestWait() > 3 && interval.mean() < 0.05
                && interval.interactiveResponseTime() > 0.07;
    }

    /** One record of a log, without what differs from run to run. */
    private static String form(String logRecord) {
        return logRecord.replaceFirst("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d{4} ", "TIME ")
                .replaceFirst("(?<=dumpStats - ).*", "STATISTICS").replaceFirst("\\d+ ms$", "# ms")
                .replaceFirst("(?<=Results written to ).*", "FOLDER.");
    }

    @Test
    void theLogHasTheRecordsThatFabansLogHas() throws Exception {
        try (DelayServer server = new DelayServer()) {
            load(server.port(), 5, 100, "1/1/1", Duration.ofSeconds(1), (elapsed, planned, interval) -> { }).run();
        }
        Set<String> faban = Samples.text("driver.log").lines().filter(l -> !l.contains("Hash of generated summary.xml"))
                .map(LoadRunTest::form).collect(Collectors.toSet());
        Set<String> ours = file("driver.log").lines().filter(l -> !l.contains(" org.ic2.load.runtime.LoadRun run - "))
                .map(LoadRunTest::form).collect(Collectors.toSet());
        assertThat(ours).isEqualTo(faban).hasSize(10);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void aServerKilledInTheMiddleGivesCountedErrorsAndNoHang() throws Exception {
        TestServer server = new TestServer(call -> Reply.of(200, "ok"));
        AtomicReference<IOException> failed = new AtomicReference<>();
        LoadRun.Result result = load(server.port(), 50, 200, "1/4/1", Duration.ofSeconds(1), (elapsed, planned, interval) -> {
            if (elapsed > 1.5) {
                try {
                    server.close();
                } catch (IOException e) {
                    failed.set(e);
                }
            }
        }).run();
        assertThat(failed.get()).isNull();
        assertThat(result.successes()).isPositive();
        assertThat(result.failures()).as("several of each user").isGreaterThan(100);
        Interval dead = intervals.get(intervals.size() - 1);
        assertThat(dead.successes()).isZero();
        assertThat(dead.failures()).as("after each a user thinks").isBetween(1L, (dead.to() - dead.from()) / (NANOS / 500));
        assertThat(dead.interactiveResponseTime()).isNaN();
        assertThat(file("intervals.csv").lines().toList()).hasSize(1 + intervals.size()).last().asString()
                .contains(",0.000,,,,,");
        assertThat(file("agent.log")).contains("connect to 127.0.0.1", "more failed operations in this interval, not shown");
        assertThat(file("agent.log").lines().count()).as("ten failures and one line about the rest in each of six intervals").isLessThan(6 * 11 + 10);
    }

    @Test
    void aServerThatNeverAnswersDoesNotHoldUpTheEnd() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (TestServer server = new TestServer(call -> {
            await(end);
            return Reply.of(200, "ok");
        })) {
            long before = System.nanoTime();
            LoadRun.Result result = load(server.port(), 30, 100, "0/4/0", Duration.ofSeconds(1),
                    (elapsed, planned, interval) -> { }).run();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).as("less than a request may take")
                    .isLessThan(ProbeDriver.PATIENCE);
            assertThat(result.successes()).isZero();
            assertThat(result.mean()).isNaN();
            end.countDown();
        }
        assertThat(intervals.get(intervals.size() - 1).pending()).isEqualTo(30);
    }

    @Test
    void canBeEndedEarlyAndStillWritesItsReports() throws Exception {
        try (DelayServer server = new DelayServer()) {
            AtomicReference<LoadRun> self = new AtomicReference<>();
            LoadRun run = load(server.port(), 10, 100, "1/600/1", Duration.ofSeconds(1), (elapsed, planned, interval) -> {
                if (elapsed > 1.5) {
                    self.get().stop();
                }
            });
            self.set(run);
            LoadRun.Result result = run.run();
            assertThat(result.stopped()).isTrue();
            assertThat(result.seconds()).as("of 600").isBetween(0.5, 60.0);
            assertThat(run.awaitEnd(Duration.ZERO)).isTrue();
        }
        assertThat(file("driver.log")).contains("ended early");
        assertThat(file("summary.xml")).contains("<benchResults>");
    }
}
