// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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
            Arm.PAPER_GRACEFUL, "#c2701c", Arm.LADDER, "#2f8f5b", Arm.OFF_AGAIN, "#a3adb8");
    /** The colours of the levels that are always on. */
    private static final List<String> OTHERS = List.of("#8d6cab", "#b5577a", "#a58a2a", "#3f9aa8", "#6d8f3c", "#7c5a48");
    private static final int MOST_POINTS = 700;
    private static final int LONGEST_LABEL = 15;

    private RunChart() {
    }

    /**
     * The picture.
     *
     * @param named what an arm is called
     */
    static String svg(List<Recording> recordings, Function<Arm, String> named) {
        double length = recordings.stream().mapToDouble(one -> one.seconds(one.to())).max().orElse(1);
        TimeChart chart = new TimeChart(length);
        recordings.stream().max(Comparator.comparing(one -> one.seconds(one.to()))).ifPresent(longest -> longest.phases()
                .stream().filter(Recording.Phase::interference).forEach(one -> chart.shade(longest.seconds(one.from()),
                        longest.seconds(one.to()))));
        List<Line> times = recordings.stream().map(one -> line(one, "response_time", length, named)).toList();
        chart.legend(times).panel("response time, s", times);
        chart.panel("throughput, 1/s", recordings.stream().map(one -> line(one, "throughput", length, named)).toList());
        List<Recording> agents = recordings.stream().filter(one -> one.slot().arm().on()).toList();
        agents.forEach(one -> knobs(chart, one, agents.size() == 1 ? "" : one.slot().arm().key() + ": "));
        return chart.svg();
    }

    /** The colour of an arm in all charts. */
    static String colour(Arm arm) {
        return COLOURS.getOrDefault(arm, OTHERS.get(arm.ordinal() % OTHERS.size()));
    }

    /** A figure of the client; of a long run the mean over several intervals. */
    private static Line line(Recording recording, String figure, double length, Function<Arm, String> named) {
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
        return new Line(named.apply(arm), colour(arm), array(x), array(y));
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static void knobs(TimeChart chart, Recording recording, String whose) {
        Arm arm = recording.slot().arm();
        List<Event> changes = recording.reconfigurations(recording.from(), recording.to());
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            Event event = changes.get(i);
            marks.add(new Mark(recording.seconds(event.time()), Event.brief(event.configuration().orElse(recording.baseline()), recording.baseline()),
                    event.action() + ": " + event.reason(), target(recording.slot(), i + 1)));
        }
        chart.band(whose + "it believes", states(recording));
        if (!marks.isEmpty()) {
            chart.marks(whose + "its changes", colour(arm), marks);
        }
        for (Knob lever : recording.baseline().knobs()) {
            steps(chart, recording, lever, changes);
        }
        chart.gap();
    }

    /** What the agent believed, as its journal tells; nothing is drawn where it had not told anything yet. */
    static List<Part> states(Recording recording) {
        List<Part> parts = new ArrayList<>();
        Optional<State> now = recording.before();
        double since = 0;
        for (Event event : recording.events(recording.from(), recording.to())) {
            if (event.state().isPresent() && !event.state().equals(now)) {
                part(now, since, recording.seconds(event.time())).ifPresent(parts::add);
                since = recording.seconds(event.time());
                now = event.state();
            }
        }
        part(now, since, recording.seconds(recording.to())).ifPresent(parts::add);
        return parts;
    }

    private static Optional<Part> part(Optional<State> state, double from, double to) {
        return state.map(one -> new Part(from, to, Event.name(one), LabelColour.of(one)));
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
        if (low == high) {
            return;
        }
        String range = String.format(Locale.ROOT, "%s %s\u2013%s", Event.name(lever), lever.format((int) low), lever.format((int) high));
        chart.steps(range.length() <= LONGEST_LABEL ? range : Event.name(lever), colour(recording.slot().arm()), array(x), array(y), low, high);
    }
}
