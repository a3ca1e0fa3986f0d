// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;

/** How much slower the client was served beside a neighbour than without interference in the same run, episode by episode. */
final class ClientHarm {
    /**
     * N/X - Z cannot be flattered by users who get no answer, but it is the difference of two large numbers: with 100 users
     * and 60 seconds chance alone moves it by some hundredths of a second. From here on it counts.
     */
    private static final double MIN_INTERACTIVE_SECONDS = 0.1;

    private ClientHarm() {
    }

    /** The fact {@link Run#HARM}. */
    static String of(List<Intervals> lines, List<Switch> switches, Duration settling) {
        double settle = settling.toMillis() / 1000.0;
        List<Intervals> without = new ArrayList<>();
        List<List<Intervals>> episodes = new ArrayList<>();
        switches.stream().filter(Switch::on).forEach(one -> episodes.add(new ArrayList<>()));
        for (Intervals line : lines) {
            int last = -1;
            int episode = -1;
            for (int i = 0; i < switches.size() && seconds(switches.get(i)) < line.time(); i++) {
                last = i;
                episode += switches.get(i).on() ? 1 : 0;
            }
            if (last >= 0 && line.time() <= seconds(switches.get(last)) + settle) {
                continue;
            }
            (last >= 0 && switches.get(last).on() ? episodes.get(episode) : without).add(line);
        }
        return episodes.stream().map(episode -> text(ratio(episode, without))).collect(Collectors.joining(" "));
    }

    private static String text(double ratio) {
        return Double.isNaN(ratio) ? Run.UNKNOWN_HARM : String.format(Locale.ROOT, "%.2f", ratio);
    }

    private static double seconds(Switch one) {
        return one.time().toEpochMilli() / 1000.0;
    }

    private static double ratio(List<Intervals> under, List<Intervals> without) {
        Optional<Double> usual = mean(without);
        Optional<Double> slow = mean(under);
        if (usual.isEmpty() || slow.isEmpty()) {
            return Double.NaN;
        }
        double interactive = interactive(under);
        return interactive >= MIN_INTERACTIVE_SECONDS ? interactive / Math.max(usual.get(), interactive(without)) : slow.get() / usual.get();
    }

    /** The mean response time of all operations. */
    private static Optional<Double> mean(List<Intervals> lines) {
        double operations = 0;
        double seconds = 0;
        for (Intervals line : lines) {
            double time = line.get("response_time") * line.get(Intervals.COMPLETIONS);
            if (Double.isFinite(time)) {
                operations += line.get(Intervals.COMPLETIONS);
                seconds += time;
            }
        }
        return operations > 0 && seconds > 0 ? Optional.of(seconds / operations) : Optional.empty();
    }

    /** N/X - Z over the whole stretch; 0 where the load does not tell it. */
    private static double interactive(List<Intervals> lines) {
        double operations = 0;
        double seconds = 0;
        for (Intervals line : lines) {
            if (Double.isFinite(line.get(Intervals.WAITED))) {
                operations += line.get(Intervals.COMPLETIONS);
                seconds += line.get(Intervals.WAITED);
            }
        }
        return operations > 0 ? seconds / operations : 0;
    }
}
