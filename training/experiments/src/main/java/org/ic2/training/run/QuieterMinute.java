// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks at the machine ahead of a run, and waits while others use it.
 *
 * @param most how long it waits at most; zero: it looks once
 * @param told what it waits for, about once a second
 */
public record QuieterMinute(Duration most, Consumer<String> told) {
    /** How long it looks before it says that the machine is quiet. */
    public static final Duration LOOK = Duration.ofSeconds(5);
    private static final double PERCENT = 100;
    private static final Duration STEP = Duration.ofSeconds(1);

    /** Returns when a look found the machine quiet, or when the time is over. */
    void await(MachineMeter meter, InstantSource clock) throws InterruptedException {
        Instant begin = clock.instant();
        List<MachineUse> uses = new ArrayList<>(List.of(meter.read(begin, MachineUse.BEFORE)));
        while (true) {
            Thread.sleep(STEP.toMillis());
            Instant now = clock.instant();
            uses.add(meter.read(now, MachineUse.BEFORE));
            uses.removeIf(use -> uses.size() > 2 && use.time() < now.minus(LOOK).minus(STEP).toEpochMilli() / 1000.0);
            Duration waited = Duration.between(begin, now);
            if (waited.compareTo(LOOK) >= 0) {
                Disturbance look = Disturbance.of(uses);
                if (!look.disturbed() || waited.compareTo(most) >= 0) {
                    return;
                }
                told.accept("waiting for a quieter minute, " + waited.toSeconds() + " of at most " + most.toSeconds() + " s; "
                        + Math.round(PERCENT * look.elsewhere()) + " % of the CPU go elsewhere");
            }
        }
    }
}
