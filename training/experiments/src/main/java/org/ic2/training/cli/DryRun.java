// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.time.Duration;
import java.util.List;
import org.ic2.training.collect.Progress;
import picocli.CommandLine.Option;

/** Planning without measuring. */
public final class DryRun {
    @Option(names = "--dry-run", description = {"measure nothing: check the command against the testbed, which may be one that `testbed up",
        "--dry-run` described, and say which runs it would make and how long they take"})
    private boolean asked;

    /** True if nothing is to be measured. */
    public boolean asked() {
        return asked;
    }

    /** Says what would be measured. */
    public void say(List<String> runs, Duration time) {
        System.out.println(runs.size() + (runs.size() == 1 ? " run, " : " runs, ") + "about " + Progress.text(time) + " to measure");
        runs.forEach(System.out::println);
    }
}
