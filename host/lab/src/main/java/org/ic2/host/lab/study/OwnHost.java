// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.ic2.host.model.Guest;
import org.ic2.host.model.HostSample;
import org.ic2.host.lab.sim.SimHost;

/** A host that somebody described, watched for a while. */
record OwnHost(String name, LongFunction<SimHost> host, Duration length) implements Simulation {
    private static final Duration BEGINNING = Duration.ofSeconds(1);

    @Override
    public String about() {
        return "the host of " + name + " for " + length.toSeconds() + " s: what each guest gets, waits and is refused";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            SimHost one = host.apply(seed);
            one.sample(Instant.EPOCH, BEGINNING);
            HostSample sample = one.sample(Instant.EPOCH.plus(length), length);
            for (Guest guest : sample.guests()) {
                sample.byUuid().get(guest.uuid()).values().forEach((metric, value) -> findings.add(
                        new Finding(name, seed, guest.name(), metric.key(), value, metric.unit())));
            }
            sample.host().values().forEach((metric, value) -> findings.add(
                    new Finding(name, seed, "the host", metric.key(), value, metric.unit())));
            progress.accept("seed " + seed);
        }
        return findings;
    }
}
