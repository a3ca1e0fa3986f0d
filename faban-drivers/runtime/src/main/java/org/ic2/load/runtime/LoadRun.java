// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

/** One run: starts the users, cuts intervals, writes everything, ends. Use an instance once. */
final class LoadRun {
    private static final long STACK_BYTES = 256 << 10;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final Duration GRACE = Duration.ofSeconds(1);

    /**
     * What a run needs.
     *
     * @param config   run.xml with the command line's changes
     * @param model    the driver class
     * @param folder   where driver.log, summary.xml and detail.xan go
     * @param csv      file of the interval CSV
     * @param mirror   also gets the lines of driver.log; null for none
     * @param watcher  hears of every interval
     * @param clock    time of day
     * @param lead     pause between the start of the last user and ramp-up
     * @param rate     operations per second of an open loop; empty: a closed one
     */
    record Setup(RunConfig config, DriverModel model, ResultFolder folder, Path csv, PrintStream mirror, Watcher watcher,
                 Clock clock, Duration lead, OptionalDouble rate) {
    }

    /** Hears of every interval when it has been written. */
    interface Watcher {
        /**
         * An interval is over.
         *
         * @param elapsed since the start of ramp-up, seconds
         * @param planned length of the whole run, seconds
         */
        void interval(double elapsed, double planned, Interval interval);
    }

    /**
     * How a run went.
     *
     * @param folder    where its files are
     * @param seconds   length of the steady state
     * @param successes successful operations that began and ended in the steady state
     * @param failures  failed ones
     * @param mean      mean response time of the successful ones, seconds; NaN without any
     * @param pages     what pages said of their age, in the whole run
     * @param stopped   whether it was ended early
     */
    record Result(Path folder, double seconds, long successes, long failures, double mean, PageAges pages, boolean stopped) {
    }

    private final Setup setup;
    private final DriverModel model;
    private final int users;
    private final StatsRecorder recorder;
    private final Optional<OpenLoop> arrivals;
    private final XPaths paths;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<User> people = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    LoadRun(Setup setup) throws ConfigError {
        this.setup = setup;
        model = setup.model();
        users = setup.config().users(model);
        recorder = new StatsRecorder(model, users);
        arrivals = setup.rate().isEmpty() ? Optional.empty()
                : Optional.of(new OpenLoop(setup.rate().getAsDouble(), new Random(seed() * GOLDEN), recorder));
        paths = new XPaths(setup.config().document());
        if (setup.config().seed() != null) {
            paths.override("seed", setup.config().seed().toString());
        }
    }

    private long seed() {
        return setup.config().seed() == null ? System.nanoTime() : setup.config().seed();
    }

    /** Ends the run early, from any thread; its files are written as far as it got. */
    void stop() {
        stop.countDown();
    }

    /** Waits until everything is written. */
    boolean awaitEnd(Duration atMost) throws InterruptedException {
        return ended.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Runs from start to end.
     *
     * @throws ConfigError when the driver refuses its configuration
     * @throws IOException when a file cannot be written
     */
    Result run() throws ConfigError, IOException, InterruptedException {
        try (DriverLog log = new DriverLog(setup.folder().path().resolve(ResultFolder.LOG), setup.mirror(), setup.clock());
                DriverLog agentLog = new DriverLog(setup.folder().path().resolve("agent.log"), null, setup.clock());
                IntervalCsv csv = new IntervalCsv(setup.csv());
                OperationsCsv operations = new OperationsCsv(setup.folder().path(), model);
                ResponseTimesCsv times = new ResponseTimesCsv(setup.folder().path());
                ErrorsCsv errors = new ErrorsCsv(setup.folder().path())) {
            log.own("This is the embedded runtime of IC2, not Faban: " + users + " users of "
                    + model.constructor().getDeclaringClass().getName() + (setup.rate().isEmpty() ? ""
                    : ", an open loop of " + setup.rate().getAsDouble() + " operations per second"));
            log.master("configureAgents", "Configuring 1 " + model.name() + "Agents...");
            FailureLog failures = new FailureLog(agentLog);
            CountDownLatch gate = new CountDownLatch(setup.config().simultaneous() ? 1 : 0);
            createUsers(log, failures, gate);
            try {
                startUsers();
                Timeline plan = begin(log, gate);
                Timeline timeline = measure(plan, log, new Tables(csv, operations, times, errors), failures);
                endUsers();
                return report(timeline, plan, log);
            } finally {
                arrivals.ifPresent(OpenLoop::end);
                people.forEach(User::stop);
                people.forEach(User::abort);
            }
        } finally {
            ended.countDown();
        }
    }

    private void createUsers(DriverLog log, FailureLog failures, CountDownLatch gate) throws ConfigError {
        Logger logger = Logger.getAnonymousLogger();
        logger.setUseParentHandlers(false);
        logger.addHandler(new LogHandler(log));
        long seed = seed();
        for (int id = 0; id < users; id++) {
            UserContext context = new UserContext(id, setup.config().scale(), paths, logger, recorder);
            Random random = new Random(~seed + (id + 1) * GOLDEN);
            people.add(new User(id, model, newDriver(context), context, recorder, failures, random, gate,
                    arrivals));
        }
    }

    private Object newDriver(UserContext context) throws ConfigError {
        try {
            return context.during(model.constructor()::newInstance);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw new ConfigError(setup.config().file() + ": " + cause.getMessage(), cause);
        } catch (Exception e) {
            throw new ConfigError("cannot make an instance of " + model.constructor().getDeclaringClass().getName() + ": "
                    + e, e);
        }
    }

    /** Starts one user after the other, as Faban does. */
    private void startUsers() throws InterruptedException {
        long next = System.nanoTime();
        for (User user : people) {
            Thread thread = new Thread(null, user, user.name(), STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
            next += setup.config().threadDelay().toNanos();
            if (stop.await(next - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
        }
    }

    private Timeline begin(DriverLog log, CountDownLatch gate) throws InterruptedException {
        RunConfig config = setup.config();
        log.master("executeRun", "Started all threads; run commences in " + setup.lead().toMillis() + " ms");
        Timeline timeline = new Timeline(System.nanoTime() + setup.lead().toNanos(), config.rampUp().toNanos(),
                config.steady().toNanos(), config.rampDown().toNanos());
        recorder.begin(timeline, config.detailInterval().toNanos());
        stop.await(timeline.start() - System.nanoTime(), TimeUnit.NANOSECONDS);
        gate.countDown();
        arrivals.ifPresent(all -> all.start(timeline.start()));
        return timeline;
    }

    /** Cuts intervals until the end; returns the timeline as it really was. */
    private Timeline measure(Timeline plan, DriverLog log, Tables tables, FailureLog failures)
            throws InterruptedException, IOException {
        StatsLine lines = new StatsLine(model);
        long every = setup.config().statsInterval().toNanos();
        long[] boundaries = {plan.start() + plan.rampUp(), plan.start() + plan.rampUp() + plan.steady(), plan.end()};
        String[] messages = {"Ramp up completed", "Steady state completed", "Ramp down completed"};
        long nextCut = plan.start() + every;
        int nextPhase = 0;
        while (nextPhase < boundaries.length) {
            long wake = Math.min(nextCut, boundaries[nextPhase]);
            if (stop.await(wake - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                log.own("The run was ended early, after "
                        + StatsLine.decimals(plan.elapsedSeconds(System.nanoTime()), 2) + " s");
                return plan.cutAt(System.nanoTime());
            }
            if (nextCut == wake) {
                long now = System.nanoTime();
                Interval interval = recorder.cut(now);
                write(plan, interval, lines, log, tables);
                failures.nextInterval();
                nextCut += every * Math.max(1, (now - nextCut) / every + 1);
            }
            while (nextPhase < boundaries.length && boundaries[nextPhase] <= wake) {
                log.master("executeRun", messages[nextPhase++]);
            }
        }
        return plan;
    }

    private record Tables(IntervalCsv intervals, OperationsCsv operations, ResponseTimesCsv times, ErrorsCsv errors) {
    }

    private void write(Timeline plan, Interval interval, StatsLine lines, DriverLog log, Tables tables) throws IOException {
        double elapsed = plan.elapsedSeconds(interval.to());
        if (setup.config().statsEnabled()) {
            log.stats(recorder.read(() -> lines.format(plan, interval, recorder.steady())));
        }
        Instant now = setup.clock().instant();
        tables.intervals().write(now, elapsed, interval, arrivals.map(OpenLoop::waiting));
        tables.operations().write(now, elapsed, interval);
        tables.times().write(now, elapsed, interval);
        tables.errors().write(now, elapsed, interval);
        setup.watcher().interval(elapsed, (plan.end() - plan.start()) / 1e9, interval);
    }

    /** Lets operations under way end for a moment, then breaks them off. */
    private void endUsers() throws InterruptedException {
        arrivals.ifPresent(OpenLoop::end);
        people.forEach(User::stop);
        long limit = System.nanoTime() + GRACE.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(limit - System.nanoTime())));
            if (System.nanoTime() > limit) {
                break;
            }
        }
        people.forEach(User::abort);
    }

    private Result report(Timeline timeline, Timeline plan, DriverLog log) throws IOException {
        Path folder = setup.folder().path();
        Instant now = setup.clock().instant();
        long behind = System.nanoTime() - timeline.start();
        Instant start = now.minusNanos(behind);
        double seconds = timeline.steady() / 1e9;
        SummaryXml.Run run = new SummaryXml.Run(setup.folder().runId(), users, start,
                start.plusNanos(timeline.end() - timeline.start()), setup.clock().getZone());
        log.master("getDriverMetrics", "Gathering " + model.name() + "Stats ...");
        log.master("generateReports", "Printing Summary report ...");
        Files.writeString(folder.resolve("summary.xml"),
                recorder.read(() -> SummaryXml.format(model, recorder.results(), seconds, run)));
        log.master("generateReports", "Summary finished. Now printing detail ...");
        Files.writeString(folder.resolve("detail.xan"),
                recorder.read(() -> DetailXan.format(model, recorder.results(), setup.folder().runId())));
        log.master("generateReports", "Detail finished. Results written to " + folder + ".");
        return recorder.read(() -> {
            long n = recorder.steady().stream().mapToLong(Totals::successes).sum();
            double sum = recorder.steady().stream().mapToDouble(Totals::sum).sum();
            return new Result(folder, seconds, n, recorder.steady().stream().mapToLong(Totals::failures).sum(),
                    n == 0 ? Double.NaN : sum / n, recorder.pages(), timeline != plan);
        });
    }
}
