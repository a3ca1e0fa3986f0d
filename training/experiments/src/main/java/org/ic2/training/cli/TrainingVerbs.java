// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ic2.training.evaluate.Kind;

/**
 * What only the module that links Weka can do. It is found on the class path when the program starts, so that nothing here
 * depends on it, nor on its licence.
 */
public interface TrainingVerbs {
    /** The command {@code fit}, for picocli. */
    Object fit();

    /** The command {@code pipeline}, for picocli. */
    Object pipeline();

    /** The command {@code paper}, for picocli. */
    Object paper();

    /**
     * {@code evaluate --training}: trains on some runs, judges on others, prints the figures and writes the report.
     *
     * @throws IllegalArgumentException if the request cannot be met, in words for the user
     */
    void study(StudyRequest request) throws IOException;

    /**
     * {@code evaluate --leave-out}: trains on all runs but those of a kind, judges these, and so on for each; prints a table.
     *
     * @throws IllegalArgumentException if the request cannot be met, in words for the user
     */
    void leaveOut(Kind kind, StudyRequest request) throws IOException;

    /** What {@code --version} says of licence and libraries. */
    String licence();

    /**
     * What to train and judge.
     *
     * @param heldOut    runs to judge on, or folders of runs
     * @param training   runs to train on, or folders of runs
     * @param harm       which neighbours teach interference
     * @param attributes sets of attributes, the last one is the result; none: the usual ones
     * @param costs      cost matrices, {@code a:b:c}; none: those of the paper's figure 11
     * @param interval   a longer one to compare with the recorded one
     * @param report     the page to write, if any
     * @param seed       of everything that is drawn
     */
    record StudyRequest(List<Path> heldOut, List<Path> training, HarmOptions harm, List<String> attributes, List<String> costs,
            Optional<Duration> interval, Optional<Path> report, long seed) {
    }
}
