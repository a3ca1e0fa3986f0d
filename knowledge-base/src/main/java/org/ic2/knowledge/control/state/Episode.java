// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.util.List;
import java.util.stream.Stream;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Scenario;

/**
 * A time away from the baseline.
 *
 * @param since     when it began, ms on the controller's clock
 * @param confirmed when the detector itself last said INTERFERENCE, ms
 * @param believed  when interference was last believed, or quiet not yet believed, ms
 * @param signals the attributes that mitigation does not change and that showed the neighbour when it began
 * @param queueWait the accept queue's wait before it, s
 * @param apart     true if a rule began it by its own evidence, without interference
 */
public record Episode(long since, long confirmed, long believed, List<String> signals, double queueWait, boolean apart) {
    public Episode {
        signals = List.copyOf(signals);
    }

    /** One that interference began, or nobody knows what. */
    public Episode(long since, long confirmed, long believed, List<String> signals, double queueWait) {
        this(since, confirmed, believed, signals, queueWait, false);
    }

    /** One that begins with no action of the controller's own, so that nothing is known of its cause. */
    public static Episode at(long now) {
        return new Episode(now, now, now, List.of(), 0);
    }

    /**
     * The same episode after one more sample.
     *
     * @param detected what the detector says, null if the sample could not be judged
     * @param scenario why another label is believed, or null
     */
    public Episode after(Label detected, Scenario scenario, long now) {
        if (detected == Label.INTERFERENCE) {
            return new Episode(since, now, now, signals, queueWait, apart);
        }
        boolean doubted = scenario == Scenario.HIDDEN || scenario == Scenario.HOLDING;
        return doubted ? new Episode(since, confirmed, now, signals, queueWait, apart) : this;
    }

    /** The same episode after a further step: every independent signal counts that was raised at one of its steps; the last step's cause. */
    public Episode grown(Episode step) {
        List<String> all = Stream.concat(signals.stream(), step.signals.stream()).distinct().toList();
        return new Episode(since, step.confirmed, step.believed, all, queueWait, step.apart);
    }
}
