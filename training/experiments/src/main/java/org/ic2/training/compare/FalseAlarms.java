// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.knowledge.State;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.TextFiles;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;

/**
 * Runs without a neighbour in which something else slows the pages, and what the agent did.
 *
 * @param scenarios   in order
 * @param repeat      runs of each
 * @param length      of a run; in its middle third it happens
 * @param users       emulated users
 * @param seed        of the load, one more in each following run of a scenario
 * @param arm         how the agent is configured
 * @param subject     what it is measured on
 */
public record FalseAlarms(List<AlarmScenario> scenarios, int repeat, Duration length, int users, long seed, Arm arm, TestSubject subject) {
    /** A run has three parts; the change happens in the second. */
    private static final int PARTS = 3;
    private static final Duration MIN_LENGTH = Duration.ofSeconds(3);
    private static final String AGENT = "agent";

    public FalseAlarms {
        if (!arm.on() || arm.host().isPresent() || !subject.patched() && !arm.onStock()) {
            throw new IllegalArgumentException("--arm: expected one with an agent that this httpd knows, got '" + arm.key() + "'");
        }
        if (length.compareTo(MIN_LENGTH) < 0 || repeat < 1) {
            throw new IllegalArgumentException("--run, --repeat: expected at least " + MIN_LENGTH.toSeconds() + " s and 1, got "
                    + length.toSeconds() + " s and " + repeat);
        }
    }

    private PlannedRun slot(AlarmScenario scenario, int round) {
        return new PlannedRun(round, scenario.label(), arm);
    }

    /** All runs in order. */
    public List<RunPlan> runs() {
        AgentArm agent = arm.agent(Optional.empty(), Optional.empty());
        List<RunPlan> runs = new ArrayList<>();
        for (int round = 1; round <= repeat; round++) {
            for (AlarmScenario one : scenarios) {
                runs.add(new RunPlan(slot(one, round).id(), "alarms", length, one.users(users), seed + round - 1, Optional.empty(),
                        subject.patched() ? agent : agent.onStock(), one.changes(users, third(), subject.application())));
            }
        }
        return runs;
    }

    private Duration third() {
        return length.dividedBy(PARTS);
    }

    /** Where the agent of a run keeps what it has learned; the next run begins with nothing. */
    public static Path agentHome(Path folder) {
        return folder.resolve(AGENT);
    }

    /** Makes the runs that are not there yet. */
    public void run(Path folder, RunDriver driver, Progress progress) throws IOException, InterruptedException {
        Collection collection = new Collection(folder, driver, progress);
        for (RunPlan plan : runs()) {
            TextFiles.delete(agentHome(folder));
            collection.make(plan);
        }
    }

    /** Writes {@code alarms.csv} and {@code alarms.md} of the runs that are there; returns the table. */
    public String report(Path folder) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        List<String> lines = new ArrayList<>(List.of("scenario,round,actions,confirmed,response_time_before,response_time_during,"
                + "throughput_before,throughput_during"));
        int actions = 0;
        for (AlarmScenario scenario : scenarios) {
            List<Recording> recordings = new ArrayList<>();
            for (int round = 1; round <= repeat; round++) {
                Recording.read(folder, slot(scenario, round)).ifPresent(recordings::add);
            }
            rows.add(row(scenario, recordings));
            for (Recording one : recordings) {
                lines.add(line(scenario, one));
                actions += actions(one).size();
            }
        }
        Table table = new Table("When something else slows the pages", "Runs without a neighbour; in the middle third of each something else "
                + "happens. Actions: all that the agent did in the whole run, with its reasons; expected are none. Confirmed: how often "
                + "it was sure of interference (state I2), whether it acted or not. Times: means of the first and of the middle third.",
                List.of("scenario", "runs", "actions", "confirmed", "response time, s", "throughput, 1/s", "the agent's reasons"), rows);
        TextFiles.write(folder.resolve("alarms.csv"), TextFiles.joined(lines));
        TextFiles.write(folder.resolve("alarms.md"), table.markdown());
        return table.markdown() + (actions == 0 ? "No action, as it should be." : Words.count(actions, "action") + " without need.");
    }

    private List<String> row(AlarmScenario scenario, List<Recording> recordings) {
        String reasons = recordings.stream().flatMap(one -> actions(one).stream().map(event -> String.format(Locale.ROOT,
                "%.0f s: %s: %s", one.seconds(event.time()), event.action(), event.reason()))).distinct().collect(Collectors.joining("; "));
        return List.of(scenario.label() + ": " + scenario.text(), Integer.toString(recordings.size()),
                Long.toString(recordings.stream().mapToLong(one -> actions(one).size()).sum()),
                Long.toString(recordings.stream().mapToLong(FalseAlarms::confirmed).sum()),
                beforeAndDuring(recordings, "response_time", "%.3f"), beforeAndDuring(recordings, "throughput", "%.1f"), reasons);
    }

    private String beforeAndDuring(List<Recording> recordings, String figure, String format) {
        return Words.number(format, recordings.stream().mapToDouble(one -> figure(one, 0, figure)).average().orElse(Double.NaN)) + " \u2192 "
                + Words.number(format, recordings.stream().mapToDouble(one -> figure(one, 1, figure)).average().orElse(Double.NaN));
    }

    /** A figure of the run's own load in a third, counted from 0. */
    private double figure(Recording recording, int which, String figure) {
        Instant begin = recording.from().plus(third().multipliedBy(which));
        return recording.figures(begin, begin.plus(third())).get(figure);
    }

    private static List<Event> actions(Recording recording) {
        return recording.reconfigurations(recording.from(), recording.to());
    }

    private static long confirmed(Recording recording) {
        State last = State.NI2;
        long count = 0;
        for (Event event : recording.events()) {
            State now = event.state().orElse(last);
            count += now == State.I2 && last != State.I2 ? 1 : 0;
            last = now;
        }
        return count;
    }

    private String line(AlarmScenario scenario, Recording one) {
        return String.format(Locale.ROOT, "%s,%d,%d,%d,%.4f,%.4f,%.2f,%.2f", scenario.label(), one.slot().round(),
                actions(one).size(), confirmed(one), figure(one, 0, "response_time"), figure(one, 1, "response_time"),
                figure(one, 0, "throughput"), figure(one, 1, "throughput"));
    }
}
