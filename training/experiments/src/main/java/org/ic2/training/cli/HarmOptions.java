// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Harm;
import picocli.CommandLine.Option;

/** Which neighbours are interference: shared by the verbs that train and judge. */
public final class HarmOptions {
    @Option(names = "--phase-1", paramLabel = "DIR",
            description = "the runs of phase 1, for --least-harm and for fit --phase 2; may be repeated")
    private List<Path> folders = List.of();

    @Option(names = "--least-harm", paramLabel = "F", defaultValue = Harm.USUAL,
            description = {"episodes of a neighbour beside which the tier at its baseline needs less than F times the response",
                "time without interference have no label: they teach nothing, are neither misses nor false alarms, and are reported by themselves.",
                "Behind a mitigation what counts is measured in the other runs and those of --phase-1 (default: ${DEFAULT-VALUE};"
                    + " 1: every neighbour is interference, as in the paper)"})
    private double least;

    /** True if runs of phase 1 were named. */
    public boolean hasFirst() {
        return !folders.isEmpty();
    }

    /** True if less than all neighbours are interference. */
    public boolean chooses() {
        return least != 1;
    }

    /** The runs of phase 1, none if none were named. */
    public List<Run> first() throws IOException {
        return folders.isEmpty() ? List.of() : DataSet.read(folders);
    }

    /** The limit. */
    public static double checked(double least) {
        if (!(least >= 1)) {
            throw new IllegalArgumentException("--least-harm: expected 1 or more, got " + least);
        }
        return least;
    }

    /** The runs, without labels beside who does no harm; harm is measured in all of them. */
    public List<Run> labelled(List<Run> runs, List<Run> others) {
        return Harm.of(Stream.concat(runs.stream(), others.stream()).toList()).labelled(runs, checked(least));
    }
}
