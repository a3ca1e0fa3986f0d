// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.report.LabelColour;
import org.ic2.training.report.TimeChart.Line;
import org.ic2.training.report.TimeChart.Mark;
import org.ic2.training.report.TimeChart.Part;
import org.ic2.training.report.TimeChart;
import org.ic2.training.run.Intervals;

/** All arms of one round beside one neighbour over time (the paper's figure 9). */
final class RunChart {
    private static final Map<Arm, String> COLOURS = Map.of(Arm.OFF, "#6b7683", Arm.PAPER_ONLINE, "#4472a8",
            Arm.PAPER_BASIC, "#c2701c", Arm.LADDER, "#2f8f5b", Arm.AGAIN, "#a3adb8");
    /** Of the rungs that are always on. */
    private static final List<String> OTHERS = List.of("#8d6cab", "#b5577a", "#a58a2a", "#3f9aa8", "#6d8f3c", "#7c5a48");
    private static final int MOST_POINTS = 700;

    private RunChart() {
    }

    static String svg(List<Recording> recordings) {
        double length = recordings.stream().mapToDouble(one -> one.seconds(one.to())).max().orElse(1);
        TimeChart chart = new TimeChart(length);
        recordings.stream().max(Comparator.comparing(one -> one.seconds(one.to()))).ifPresent(longest -> longest.stretches()
                .stream().filter(Recording.Stretch::loud).forEach(loud -> chart.shade(longest.seconds(loud.from()),
                        longest.seconds(loud.to()))));
        List<Line> times = recordings.stream().map(one -> line(one, "response_time", length)).toList();
        chart.legend(times).panel("response time, s", times);
        chart.panel("throughput, 1/s", recordings.stream().map(one -> line(one, "throughput", length)).toList());
        recordings.stream().filter(one -> one.slot().arm().on()).forEach(one -> knobs(chart, one));
        return chart.svg();
    }

    /** The colour of an arm in all charts. */
    static String colour(Arm arm) {
        return COLOURS.getOrDefault(arm, OTHERS.get(arm.ordinal() % OTHERS.size()));
    }

    /** A figure of the client; of a long run the mean over several intervals. */
    private static Line line(Recording recording, String figure, double length) {
        Arm arm = recording.slot().arm();
        double step = Math.max(1, Math.ceil(length / MOST_POINTS));
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        double sum = 0;
        int count = 0;
        for (Intervals one : recording.client()) {
            Instant time = Recording.time(one);
            if (time.isAfter(recording.from()) && !time.isAfter(recording.to())) {
                double value = one.get(figure);
                sum += Double.isFinite(value) ? value : 0;
                count += Double.isFinite(value) ? 1 : 0;
                if (recording.seconds(time) >= (x.size() + 1) * step - 0.5 || x.isEmpty() && step == 1) {
                    x.add(recording.seconds(time));
                    y.add(count == 0 ? Double.NaN : sum / count);
                    sum = 0;
                    count = 0;
                }
            }
        }
        return new Line("(" + arm.letter() + ") " + arm.title(), colour(arm), array(x), array(y));
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static void knobs(TimeChart chart, Recording recording) {
        Arm arm = recording.slot().arm();
        List<Event> changes = recording.reconfigurations(recording.from(), recording.to());
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            Event event = changes.get(i);
            marks.add(new Mark(recording.seconds(event.time()), Event.tuple(event.configuration().orElse(recording.baseline())),
                    event.action() + ": " + event.reason(), target(recording.slot(), i + 1)));
        }
        chart.band("(" + arm.letter() + ") state", states(recording));
        chart.marks("(" + arm.letter() + ") M|K|P|L", colour(arm), marks);
        for (Knob lever : recording.baseline().knobs()) {
            steps(chart, recording, lever, changes);
        }
        chart.gap();
    }

    /** What the agent believed, as far as its journal tells: it tells what is confirmed. */
    private static List<Part> states(Recording recording) {
        List<Part> parts = new ArrayList<>();
        State now = recording.alarmed(recording.from()) ? State.I2 : State.NI2;
        double since = 0;
        for (Event event : recording.events(recording.from(), recording.to())) {
            State next = event.state().orElse(now);
            if (next != now) {
                parts.add(new Part(since, recording.seconds(event.time()), now.name(), LabelColour.of(now)));
                since = recording.seconds(event.time());
                now = next;
            }
        }
        parts.add(new Part(since, recording.seconds(recording.to()), now.name(), LabelColour.of(now)));
        return parts;
    }

    /** The id of the text that explains a reconfiguration. */
    static String target(PlannedRun slot, int number) {
        return slot.id() + "-" + number;
    }

    private static void steps(TimeChart chart, Recording recording, Knob lever, List<Event> changes) {
        List<Double> x = new ArrayList<>(List.of(0.0));
        List<Double> y = new ArrayList<>(List.of((double) recording.configuration(recording.from()).get(lever)));
        for (Event event : changes) {
            Optional<Settings> values = event.configuration();
            if (values.isPresent()) {
                x.add(recording.seconds(event.time()));
                y.add((double) values.get().get(lever));
            }
        }
        double low = y.stream().mapToDouble(Double::doubleValue).min().orElse(0);
        double high = y.stream().mapToDouble(Double::doubleValue).max().orElse(1);
        String range = low == high ? lever.format((int) low) : String.format(Locale.ROOT, "%s\u2013%s", lever.format((int) low),
                lever.format((int) high));
        chart.steps(lever.label() + " " + range, colour(recording.slot().arm()), array(x), array(y), low, high);
    }
}
