// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Turn;
import org.ic2.runtime.loop.TurnOutcome;
import org.ic2.runtime.loop.Verdict;

/** One turn of the tenant's agent: a measurement, the controller's decision on it, and all who hear of it. */
public final class TenantTurn implements Turn {

    private final TenantBrain brain;
    private final TenantListener listener;
    private final LongSupplier nanoClock;
    private TenantMeasurement measurement;
    private TenantVerdict verdict;
    private long decideNanos;

    /** @param nanoClock monotonic, ns */
    public TenantTurn(TenantMeasurement measurement, TenantBrain brain, TenantListener listener, LongSupplier nanoClock) {
        this.measurement = measurement;
        this.brain = brain;
        this.listener = listener;
        this.nanoClock = nanoClock;
    }

    @Override
    public Settings running(Settings otherwise) {
        return measurement.running(otherwise);
    }

    @Override
    public Verdict decide(Set<Knob> unsure) {
        measurement = measurement.without(unsure);
        listener.measured(measurement);
        long start = nanoClock.getAsLong();
        verdict = brain.next(measurement);
        decideNanos = nanoClock.getAsLong() - start;
        return verdict;
    }

    @Override
    public void ended(TurnOutcome outcome) {
        listener.turned(measurement, verdict, outcome, decideNanos);
    }
}
