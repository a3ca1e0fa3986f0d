// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ic2.knowledge.Sample;
import org.ic2.training.Generated;
import org.ic2.training.compare.Stored.Behaviour;
import org.ic2.training.compare.Stored.Level;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.Truth;

/** The arms off, paper-online and paper-graceful as if they had been measured: httpd-online mends two thirds of the harm, httpd-basic starves users. */
public final class StoredPaper {
    /** Response time of the arm paper-online in the rest of an episode. */
    static final double MENDED = 0.2;

    private StoredPaper() {
    }

    /** @param plan of episodes and rests of 20 s, at an interval of 1 s */
    public static void in(Path folder, ComparePlan plan) throws IOException {
        Stored.of(folder, plan).arm(Arm.OFF, new Behaviour(Level.UNDER_INTERFERENCE, 0)).arm(Arm.PAPER_ONLINE, new Behaviour(new Level(MENDED, 95, 10, 0.6), 3))
                .arm(Arm.PAPER_GRACEFUL, new Behaviour(Level.STARVED, 3));
        for (PlannedRun slot : plan.slots()) {
            if (slot.arm().on()) {
                samples(folder.resolve(slot.id()), plan);
            }
        }
    }

    /** What the agent measured and what was true. */
    private static void samples(Path place, ComparePlan plan) throws IOException {
        Run run = RunFolder.read(place);
        Instant begin = Instant.ofEpochMilli(Long.parseLong(run.fact(Run.FROM)));
        Random random = new Random(1);
        List<Sample> samples = new ArrayList<>();
        for (int second = 1; second <= plan.length().toSeconds(); second++) {
            boolean loud = (second - 1) % (Stored.ON + Stored.OFF) >= Stored.OFF;
            samples.add(Generated.sample(begin.plusSeconds(second), loud ? Generated.UNDER_INTERFERENCE : Generated.WITHOUT_INTERFERENCE, 0.1, random));
        }
        Run measured = new Run(run.id(), Duration.ofSeconds(1), run.baseline(), run.switches(), run.facts(), samples);
        RunFolder.write(place, Truth.ofSwitches(run.switches(), plan.settle()).label(measured), false);
    }
}
