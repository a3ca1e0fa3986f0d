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

/** Which neighbours teach interference: shared by the verbs that train. */
public final class HarmOptions {
    @Option(names = "--phase-1", paramLabel = "DIR",
            description = "the runs of phase 1, for --least-harm and for fit --phase 2; may be repeated")
    private List<Path> folders = List.of();

    @Option(names = "--least-harm", paramLabel = "F", defaultValue = "1",
            description = {"neighbours beside which the tier at its baseline needs less than F times the quiet response time",
                "teach no interference; measured in the training runs and those of --phase-1 (default: ${DEFAULT-VALUE}: all"
                    + " teach, as in the paper)"})
    private double least;

    /** True if runs of phase 1 were named. */
    public boolean hasFirst() {
        return !folders.isEmpty();
    }

    /** True if less than all neighbours teach. */
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

    /** The runs, those whose neighbour teaches nothing marked; harm is measured in all of them. */
    public List<Run> marked(List<Run> runs, List<Run> others) {
        return Harm.of(Stream.concat(runs.stream(), others.stream()).toList()).marked(runs, checked(least));
    }
}
