// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.training.compare.Recording.Window;

/** What client and tier did in several windows of a run together, each kept once it is made. */
final class RunFigures {
    private final Map<PlannedRun, Recording> recordings = new HashMap<>();
    private final Map<Map.Entry<PlannedRun, List<Window>>, Map<String, Double>> made = new HashMap<>();

    RunFigures(List<Recording> recordings) {
        recordings.forEach(one -> this.recordings.put(one.slot(), one));
    }

    Map<String, Double> of(PlannedRun slot, List<Window> windows) {
        return made.computeIfAbsent(Map.entry(slot, windows), any -> recordings.get(slot).figures(windows));
    }

    /** A window by its begin, in seconds from its run's begin, and its length in seconds. */
    Window window(PlannedRun slot, double begin, double seconds) {
        Recording recording = recordings.get(slot);
        return new Window(recording.at(begin), recording.at(begin + seconds));
    }
}
