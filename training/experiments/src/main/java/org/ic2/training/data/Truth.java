// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Sample;

/** What is known about a stretch of time: the source of labels. */
public interface Truth {
    /** The label of the interval from {@code from} to {@code to}, empty if nothing is known about it. */
    Optional<Label> of(Instant from, Instant to);

    /** The run with every sample labelled by this truth. */
    default Run label(Run run) {
        List<Sample> labelled = run.samples().stream().map(sample -> sample.toBuilder()
                .label(of(sample.time().minus(run.interval()), sample.time()).orElse(null)).build()).toList();
        return run.with(labelled);
    }

    /**
     * The paper's rule (section 5.1.3): what overlaps the first {@code settling} after a start or stop is TRANSIENT,
     * the rest is labelled by the side on which it lies.
     *
     * @param switches in order of time; before the first one the neighbour is off
     * @param settling the paper: 30 s
     */
    static Truth ofSwitches(List<Switch> switches, Duration settling) {
        List<Switch> known = List.copyOf(switches);
        return (from, to) -> {
            Label label = Label.NO_INTERFERENCE;
            for (Switch one : known) {
                if (!one.time().isBefore(to)) {
                    break;
                }
                boolean settles = from.isBefore(one.time().plus(settling));
                label = settles ? Label.TRANSIENT : one.on() ? Label.INTERFERENCE : Label.NO_INTERFERENCE;
            }
            return Optional.of(label);
        };
    }
}
