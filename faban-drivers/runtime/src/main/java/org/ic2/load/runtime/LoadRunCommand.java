// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.CycleType;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code ic2-load run}: one run of a driver. */
@Command(name = "run", sortOptions = false,
        description = "Runs the driver that a run.xml names, for ramp-up, steady state and ramp-down.",
        footer = {"", "Times take a unit: 500ms, 60s, 5m, 1h; without one they are seconds.",
            "Files: driver.log, agent.log (failed operations), intervals.csv,",
            "operations.csv, response-times.csv, errors.csv, summary.xml, detail.xan."})
final class LoadRunCommand implements Callable<Integer> {
    /** The exit status of a run without a result. */
    static final int FAILED = 1;
    private static final Duration LEAD = Duration.ofSeconds(1);
    private static final Duration END_WITHIN = Duration.ofSeconds(10);
    private static final double LEAST_RATE = 0.01;
    private static final double MOST_RATE = 10_000;

    private final PrintStream out;
    private final PrintStream err;
    private final boolean terminal;

    @Option(names = {"-f", "--file"}, required = true, paramLabel = "FILE", description = "the run.xml")
    private Path file;

    @Option(names = "--users", paramLabel = "N", description = "users, instead of fa:scale (1..5000)")
    private Integer users;

    @Option(names = "--ramp-up", paramLabel = "T", converter = Time.class, description = "ramp-up, instead of the file's")
    private Duration rampUp;

    @Option(names = "--steady", paramLabel = "T", converter = Time.class, description = "steady state, instead of the file's")
    private Duration steady;

    @Option(names = "--ramp-down", paramLabel = "T", converter = Time.class,
            description = "ramp-down, instead of the file's")
    private Duration rampDown;

    @Option(names = "--runtime-stats", paramLabel = "T", converter = Time.class,
            description = "interval of the runtime statistics lines and of the interval CSV; switches the lines on")
    private Duration statsInterval;

    @Option(names = "--out", paramLabel = "DIR",
            description = "folder of the run; default: the next number below the file's outputDir")
    private Path folder;

    @Option(names = "--seed", paramLabel = "S", description = "makes the load repeatable, instead of the file's seed")
    private Long seed;

    @Option(names = "--open", paramLabel = "RATE", description = "an open loop: RATE operations per second at the moments of a Poisson"
            + " process, done by the users who have none to do, timed from when they were wanted")
    private Double rate;

    @Option(names = "--keep-alive", paramLabel = "on|off", description = "off: a connection for each request (default: as the file says, on)")
    private String keepAlive;

    @Option(names = "--interactive", paramLabel = "CSV",
            description = "file of the interval CSV (pending users, N/X-Z, percentiles); default: intervals.csv in the folder")
    private Path csv;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "shows this help")
    private boolean help;

    LoadRunCommand(PrintStream out, PrintStream err, boolean terminal) {
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws ConfigError, IOException, InterruptedException {
        RunConfig config = changed(RunConfigReader.read(file));
        config.warnings().forEach(warning -> err.println("ic2-load: warning: " + warning));
        keep(config);
        DriverModel model = overridden(DriverModel.of(driverClass(config)), config);
        config.users(model);
        ResultFolder target = target(config);
        LoadRun.Watcher watcher = terminal ? new ProgressLine(err) : (elapsed, planned, interval) -> { };
        LoadRun run = new LoadRun(new LoadRun.Setup(config, model, target,
                csv == null ? target.path().resolve("intervals.csv") : csv, terminal ? null : out, watcher,
                Clock.systemDefaultZone(), LEAD, rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate)));
        Thread onSignal = new Thread(() -> endBySignal(run), "end by signal");
        Runtime.getRuntime().addShutdownHook(onSignal);
        LoadRun.Result result = run.run();
        removeHook(onSignal);
        return conclude(result);
    }

    private Class<?> driverClass(RunConfig config) throws ConfigError {
        try {
            return Class.forName(config.definition());
        } catch (ClassNotFoundException e) {
            throw new ConfigError(file + ": fa:runConfig definition: expected a driver class on the class path, got "
                    + config.definition(), e);
        }
    }

    private RunConfig changed(RunConfig c) throws ConfigError {
        int scale = users == null ? c.scale() : users;
        if (users != null && (users < 1 || users > RunConfig.MAX_USERS)) {
            throw new ConfigError("--users: expected 1.." + RunConfig.MAX_USERS + ", got " + users);
        }
        if (statsInterval != null && statsInterval.toMillis() < 100) {
            throw new ConfigError("--runtime-stats: expected at least 100ms, got " + statsInterval.toMillis() + "ms");
        }
        if (rate != null && !(rate >= LEAST_RATE && rate <= MOST_RATE)) {
            throw new ConfigError("--open: expected operations per second in " + LEAST_RATE + ".." + MOST_RATE + ", got " + rate);
        }
        if (steady != null && steady.isZero()) {
            throw new ConfigError("--steady: expected more than 0, got 0");
        }
        return new RunConfig(c.file(), c.document(), c.definition(), scale, users == null ? c.threads() : users,
                or(rampUp, c.rampUp()), or(steady, c.steady()), or(rampDown, c.rampDown()), c.outputDir(), c.threadDelay(),
                c.simultaneous(), c.detailInterval(), statsInterval != null || c.statsEnabled(),
                or(statsInterval, c.statsInterval()), c.properties(), seed == null ? c.seed() : seed, c.warnings());
    }

    private void keep(RunConfig config) throws ConfigError {
        if (keepAlive == null) {
            return;
        }
        if (!keepAlive.equals("on") && !keepAlive.equals("off")) {
            throw new ConfigError("--keep-alive: expected on or off, got " + keepAlive);
        }
        new XPaths(config.document()).override("client/keepAlive", Boolean.toString(keepAlive.equals("on")));
    }

    private static Duration or(Duration given, Duration fallback) {
        return given == null ? fallback : given;
    }

    /** The embedded runtime lets the file change the delays; on Faban the annotations rule. */
    private DriverModel overridden(DriverModel model, RunConfig config) throws ConfigError {
        CycleTimes cycle = model.cycle();
        String mean = config.properties().get("cycleMean");
        String type = config.properties().get("cycleType");
        try {
            if (mean != null) {
                double ms = Double.parseDouble(mean);
                if (!(ms >= 1 && ms <= 3_600_000)) {
                    throw new NumberFormatException();
                }
                cycle = cycle.withMean(ms);
            }
        } catch (NumberFormatException e) {
            throw new ConfigError(file + ": property cycleMean: expected milliseconds in 1..3600000, got " + mean, e);
        }
        try {
            return model.withCycle(type == null ? cycle : cycle.withType(CycleType.valueOf(type)));
        } catch (IllegalArgumentException e) {
            throw new ConfigError(file + ": property cycleType: expected CYCLETIME or THINKTIME, got " + type, e);
        }
    }

    private ResultFolder target(RunConfig config) throws ConfigError {
        if (folder != null) {
            return ResultFolder.at(folder);
        }
        if (config.outputDir() == null) {
            throw new ConfigError(file + ": expected fd:outputDir, or --out on the command line; got neither");
        }
        return ResultFolder.nextBelow(config.outputDir());
    }

    private int conclude(LoadRun.Result result) {
        if (terminal) {
            err.println();
        }
        out.printf("%s: steady state %.0f s, %d operations, %.1f op/s, mean %s s, %d errors%n", result.folder(),
                result.seconds(), result.successes(),
                result.seconds() > 0 ? result.successes() / result.seconds() : 0, StatsLine.decimals(result.mean(), 4),
                result.failures());
        PageAges pages = result.pages();
        if (pages.checked() > 0) {
            out.printf("%s: %d pages say when they were built: %d not for their request, the oldest %.1f s before it%n", result.folder(),
                    pages.checked(), pages.stored(), pages.oldest());
        }
        if (result.successes() == 0) {
            err.println("ic2-load: no operation succeeded in the steady state; " + result.folder().resolve("agent.log")
                    + " tells why");
        }
        return result.successes() == 0 || result.stopped() ? FAILED : 0;
    }

    private static void endBySignal(LoadRun run) {
        run.stop();
        try {
            run.awaitEnd(END_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is going down: the hook is what ended the run
        }
    }

    /** Reads a time with a unit. */
    static final class Time implements ITypeConverter<Duration> {
        private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h)?");

        @Override
        public Duration convert(String text) {
            Matcher m = FORM.matcher(text.strip());
            if (!m.matches()) {
                throw new TypeConversionException("expected a time such as 500ms, 60s, 5m or 1h, got '" + text + "'");
            }
            long n = Long.parseLong(m.group(1));
            return switch (m.group(2) == null ? "s" : m.group(2)) {
                case "ms" -> Duration.ofMillis(n);
                case "m" -> Duration.ofMinutes(n);
                case "h" -> Duration.ofHours(n);
                default -> Duration.ofSeconds(n);
            };
        }
    }
}
