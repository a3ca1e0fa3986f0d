// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.study.ParallelKernels.Place;

/** What the simulator has ready. */
public final class Scenarios {
    private Scenarios() {
    }

    /** The papers' experiments. */
    public static List<Simulation> all() {
        return List.of(new RecordedXen(), new InteractiveGuest(), new Rule2(), new WaitingTests(), new TuningGain(),
                new ClassOrder(), new ParallelKernels(Place.THESIS), new ParallelKernels(Place.XEN), new AdviceMixes(), new Desktops(),
                new LocalPlacement(), new GlobalPlacement(), new DynamicPlacement(), new MemoryMetrics());
    }

    /** The one of a name. */
    public static Optional<Simulation> of(String name) {
        return all().stream().filter(one -> one.name().equals(name)).findFirst();
    }

    /**
     * A host of one's own.
     *
     * @param name   for the findings
     * @param host   a new one from a seed
     * @param length how long it is watched, after a second to begin
     */
    public static Simulation ofHost(String name, LongFunction<SimHost> host, Duration length) {
        return new OwnHost(name, host, length);
    }
}
