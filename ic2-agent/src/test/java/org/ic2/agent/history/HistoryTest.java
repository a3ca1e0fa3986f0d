// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.knob.Vocabulary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was measured is there later: for a day, over restarts, and whatever happens to the file. */
class HistoryTest {

    private static final long START = Instant.parse("2026-11-20T10:00:00Z").getEpochSecond();
    private static final long MOST_BYTES = 2_000_000;

    private final StringBuilder log = new StringBuilder();
    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord line) {
            log.append(line.getMessage()).append('\n');
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    };
    private final Logger logger = Logger.getLogger(History.class.getName());
    private Path journal;
    private Path file;
    private Instant now = Instant.ofEpochSecond(START);
    private History history;

    @BeforeEach
    void open(@TempDir Path directory) {
        journal = directory.resolve("journal.jsonl");
        file = directory.resolve("history");
        logger.addHandler(listener);
        reopen();
    }

    @AfterEach
    void end() {
        logger.removeHandler(listener);
        history.close();
    }

    private void reopen() {
        if (history != null) {
            history.close();
        }
        history = new History(journal, Terms.shipped(), () -> now);
    }

    /** A turn at a second after the start, of as many requests with a mean response time. */
    private void turn(long second, double requests, double responseTime, String state, int level) {
        now = Instant.ofEpochSecond(START + second);
        Sample sample = Sample.at(now).set(Metric.REQUESTS, requests).set(Metric.RESPONSE_TIME, responseTime)
                .set(Metric.THROUGHPUT, requests).set(Metric.STEAL, responseTime / 2)
                .set(Lever.MITIGATION.quantity(), level).build();
        history.add(new HistoryMoment(sample, Map.of("php.php_active", 7.0), new Medians(Map.of(Metric.RESPONSE_TIME, 0.03), 100), 0.1,
                state, level));
        written();
    }

    private void written() {
        while (!history.written()) {
            Thread.onSpinWait();
        }
    }

    private void turns(long from, long to) {
        for (long second = from; second < to; second++) {
            turn(second, 40, 0.04, "NI2", 0);
        }
    }

    private HistoryRange since(long second) {
        return history.range(Instant.ofEpochSecond(START + second), Instant.MAX);
    }

    private static List<HistoryPoint> points(HistoryRange range) {
        List<HistoryPoint> points = new ArrayList<>();
        assertThatNoException().isThrownBy(() -> range.forEach(points::add));
        return points;
    }

    private List<Long> times(HistoryRange range) {
        return points(range).stream().map(point -> point.time() - START).toList();
    }

    private float value(HistoryPoint point, String column) {
        return point.values()[history.columns().indexOf(column)];
    }

    @Test
    void aStepHasTheMeanOverItsRequestsTheGreatestTheWorstStateAndTheHighestLevel() {
        for (int second = 0; second < 10; second++) {
            turn(second, second == 3 ? 10 : 30, second == 3 ? 2.0 : 0.1, second == 3 ? "I2" : "NI2", second == 4 ? 3 : 0);
        }
        turn(10, 40, 0.04, "NI2", 0);
        HistoryRange range = since(0);
        assertThat(range.step()).isEqualTo(10);
        assertThat(times(range)).as("the step that is not over is not there yet").containsExactly(0L);
        HistoryPoint point = points(range).get(0);
        assertThat(point.state()).isEqualTo("I2");
        assertThat(point.level()).isEqualTo(3);
        assertThat(value(point, "requests")).isEqualTo(280);
        assertThat(value(point, "response_time")).isCloseTo((float) ((10 * 2.0 + 270 * 0.1) / 280), within(1e-6f));
        assertThat(value(point, "response_time_max")).isEqualTo(2);
        assertThat(value(point, "throughput")).isEqualTo(28);
        assertThat(value(point, "response_time_normal")).isEqualTo(0.03f);
        assertThat(value(point, "target_response_time")).isEqualTo(0.1f);
        assertThat(value(point, "php_active")).isEqualTo(7);
        assertThat(value(point, "mitigation")).as("what was in force at the end").isZero();
        assertThat(value(point, "cpu_util")).as("nobody measured it").isNaN();
    }

    @Test
    void samplesOlderThanTheFineStepsAreKeptByTheMinute() {
        turns(0, 130);
        turn(8 * 3600, 40, 0.04, "NI2", 0);
        HistoryRange day = since(-3600);
        assertThat(day.step()).isEqualTo(60);
        assertThat(times(day)).containsExactly(0L, 60L, 120L);
        assertThat(value(points(day).get(0), "requests")).isEqualTo(2400);
        assertThat(value(points(day).get(2), "requests")).isEqualTo(400);
        assertThat(times(since(7 * 3600))).isEmpty();
        HistoryRange hours = history.range(Instant.ofEpochSecond(START), Instant.ofEpochSecond(START + 60));
        assertThat(times(hours)).as("the end of the time is kept to").containsExactly(0L, 60L);
    }

    @Test
    void itIsThereAfterARestartAndGoesOn() {
        turns(0, 35);
        reopen();
        assertThat(times(since(0))).containsExactly(0L, 10L, 20L, 30L);
        turns(40, 61);
        now = Instant.ofEpochSecond(START + 7 * 3600);
        assertThat(value(points(since(0)).get(0), "requests")).as("the minute of both").isEqualTo(55 * 40);
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void unmeasuredTimesAreGaps() {
        turns(0, 10);
        turns(50, 61);
        assertThat(times(since(0))).containsExactly(0L, 50L);
    }

    @Test
    void thePlacesAreUsedAgainAndTheFileNeverGrows() throws IOException {
        long size = Files.size(file);
        for (long second = 0; second < 30 * 3600; second += 5) {
            turn(second, 40, second / 1000.0, "NI2", 0);
        }
        assertThat(Files.size(file)).isEqualTo(size).isLessThan(MOST_BYTES);
        assertThat(points(since(24 * 3600))).hasSize(6 * 360 - 1);
        HistoryRange day = since(6 * 3600);
        assertThat(points(day)).hasSize(24 * 60);
        assertThat(points(day)).isSortedAccordingTo((a, b) -> Long.compare(a.time(), b.time()));
        assertThat(value(points(day).get(0), "response_time")).isCloseTo(6 * 3.6f, within(0.1f));
    }

    @Test
    void afterAClockThatWasSetBackWhatIsAheadIsNotShownAndNothingIsMixed() {
        turns(0, 200);
        turns(50, 71);
        assertThat(times(since(0))).containsExactly(0L, 10L, 20L, 30L, 40L, 50L, 60L, 70L);
        turns(71, 301);
        assertThat(times(since(0))).hasSize(30).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void aWriteThatWasCutShortAnywhereCostsItsStepOnly() throws IOException {
        turns(0, 35);
        history.close();
        byte[] whole = Files.readAllBytes(file);
        int record = 16 + 4 * history.columns().size();
        int at = HistoryFile.HEAD + (int) (START / 10 % HistoryFile.RINGS.get(0).places() + 2) * record;
        for (int kept = 0; kept < record; kept++) {
            try (RandomAccessFile torn = new RandomAccessFile(file.toFile(), "rw")) {
                torn.write(whole);
                torn.seek(at + kept);
                torn.write(new byte[record - kept]);
            }
            reopen();
            // the last bytes of a checksum may be 0 as it is
            assertThat(times(since(0))).as("%d bytes of it are there", kept).startsWith(0L, 10L).endsWith(30L)
                    .doesNotContain(kept < record - 4 ? 20L : -1L);
        }
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void aFileThatEndsAnywhereIsGoneOnWith() throws IOException {
        turns(0, 35);
        history.close();
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 4099) {
            Files.write(file, Arrays.copyOf(whole, length));
            log.setLength(0);
            reopen();
            assertThat(log.toString().lines().count()).isEqualTo(length < HistoryFile.HEAD ? 1 : 0);
            turns(100, 111);
            assertThat(times(since(0))).contains(100L);
            history.close();
            assertThat(Files.size(file)).isEqualTo(whole.length);
        }
    }

    @Test
    void garbageBeginsAnewWithOneLineInTheLog() throws IOException {
        Random random = new Random(16);
        for (int i = 0; i < 50; i++) {
            history.close();
            byte[] garbage = new byte[random.nextInt(30_000)];
            random.nextBytes(garbage);
            Files.write(file, garbage);
            log.setLength(0);
            reopen();
            assertThat(log.toString().lines()).singleElement().asString().contains("begins again");
            turns(0, 11);
            assertThat(times(since(0))).containsExactly(0L);
        }
    }

    @Test
    void garbageBehindAGoodHeadIsNotShown() throws IOException {
        turns(0, 11);
        history.close();
        byte[] bytes = Files.readAllBytes(file);
        byte[] garbage = new byte[bytes.length - HistoryFile.HEAD];
        new Random(16).nextBytes(garbage);
        System.arraycopy(garbage, 0, bytes, HistoryFile.HEAD, garbage.length);
        Files.write(file, bytes);
        reopen();
        assertThat(times(since(-7200))).isEmpty();
        turns(20, 31);
        assertThat(times(since(0))).containsExactly(20L);
    }

    @Test
    void anUnwritableHistoryDoesNotStopTheAgent() throws IOException {
        history.close();
        Files.delete(file);
        Files.createDirectory(file);
        reopen();
        turns(0, 25);
        assertThat(points(since(0))).isEmpty();
        assertThat(log.toString().lines()).singleElement().asString().contains("cannot keep the history").contains(file.toString());
    }

    @Test
    void historyStaysWhenAKnobIsAdded() {
        turns(0, 21);
        history.close();
        history = new History(journal, Vocabulary.of(List.of(Lever.KEEP_ALIVE_TIMEOUT), List.of(Metric.values())), () -> now);
        assertThat(history.columns()).doesNotContain("mxc");
        reopen();
        assertThat(times(since(0))).containsExactly(0L, 10L, 20L);
        assertThat(value(points(since(0)).get(0), "response_time")).isEqualTo(0.04f);
        assertThat(value(points(since(0)).get(0), "mitigation")).as("lost when it was no knob").isNaN();
        assertThat(log.toString()).isEmpty();
    }

    /** A history on a disk that hangs until it is told not to. */
    private void hang(CountDownLatch disk, Duration end) {
        history.close();
        history = new History(journal, Terms.shipped(), () -> now, (file, ring, step) -> {
            try {
                disk.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            file.write(ring, step);
        }, end);
    }

    private void add(long second) {
        now = Instant.ofEpochSecond(START + second);
        history.add(new HistoryMoment(Sample.at(now).set(Metric.STEAL, 0.5).build(), Map.of(), Medians.none(), 0.1, "NI2", 0));
    }

    @Test
    void aDiskThatHangsHoldsUpNeitherTurnsNorReadersAndWhatWaitsIsWrittenWhenItComesBack() {
        CountDownLatch disk = new CountDownLatch(1);
        hang(disk, Duration.ofMinutes(1));
        for (int second = 0; second <= 200; second += 10) {
            add(second);        // on this thread: nothing lets the disk go but what comes after
        }
        assertThat(points(since(0))).isEmpty();
        assertThat(log.toString()).isEmpty();
        disk.countDown();
        written();
        assertThat(times(since(0))).hasSize(20).startsWith(0L).endsWith(190L);
        reopen();
        assertThat(times(since(0))).as("the last one is written at the end").hasSize(21);
    }

    @Test
    void ofADiskThatHangsForLongTheOldestStepsAreGivenUpAndItIsSaidOnce() {
        CountDownLatch disk = new CountDownLatch(1);
        hang(disk, Duration.ofMinutes(1));
        for (int second = 0; second <= 2000; second += 10) {
            add(second);
        }
        disk.countDown();
        written();
        assertThat(times(since(0))).hasSizeBetween(HistoryWriter.MOST_WAITING, HistoryWriter.MOST_WAITING + 1).endsWith(1990L);
        assertThat(log.toString().lines()).singleElement().asString().contains("the disk has taken nothing");
    }

    @Test
    void theAgentEndsOnADiskThatHangs() {
        CountDownLatch disk = new CountDownLatch(1);
        hang(disk, Duration.ofMillis(50));
        add(0);
        history.close();
        assertThat(log.toString()).contains("lacks its last steps");
        disk.countDown();
        written();
    }
}
