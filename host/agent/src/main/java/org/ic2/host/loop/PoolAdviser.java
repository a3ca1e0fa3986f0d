// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.control.PoolAdvice;
import org.ic2.host.control.SchedulerAdvisor;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.Pool;

/** Asks which scheduler each pool should have. Reads only; nobody ever applies it to a pool that runs. */
final class PoolAdviser {
    /** Between two readings. */
    private static final Duration READING = Duration.ofSeconds(3);
    /** What runs along, such as xentop, has to begin. */
    private static final int READINGS = 3;

    private final HostConfig config;
    private final SchedulerAdvisor advisor = new SchedulerAdvisor();

    PoolAdviser(HostConfig config) {
        this.config = config;
    }

    /** On a host. What cannot be measured is said, and makes nothing else fail. */
    List<PoolAdvice> ofHost(Backend backend, Clock clock, Adviser.Pause pause) throws InterruptedException {
        List<Pool> pools = List.of();
        try {
            pools = backend.pools();
            boolean choice = pools.stream().anyMatch(SchedulerAdvisor::hasChoice);
            Optional<HostSample> sample = choice ? Optional.of(measured(backend, clock, pause)) : Optional.empty();
            return of(pools, choice ? backend.membership() : Map.of(), sample);
        } catch (IOException | RuntimeException e) {
            return pools.stream().map(pool -> new PoolAdvice(pool, PoolAdvice.Verdict.UNKNOWN, List.of(),
                    List.of("what could not be measured: " + e.getMessage()))).toList();
        }
    }

    private HostSample measured(Backend backend, Clock clock, Adviser.Pause pause) throws IOException, InterruptedException {
        backend.read(clock.instant(), EnumSet.of(GuestMetric.CPU_RUN));     // from here on there are rates
        HostSample sample = null;
        for (int i = 0; i < READINGS && (sample == null || lacks(sample)); i++) {
            pause.pass(READING);
            sample = config.merged(backend.read(clock.instant(), SchedulerAdvisor.WANTED));
        }
        return sample;
    }

    private static boolean lacks(HostSample sample) {
        return sample.guests().stream().anyMatch(guest -> SchedulerAdvisor.WANTED.stream()
                .anyMatch(metric -> Double.isNaN(sample.get(guest, metric))));
    }

    /** On what was recorded: where there are several pools, it says where guests live if somebody asked. */
    List<PoolAdvice> ofRecording(HostView view, HostSample sample) {
        Map<String, String> membership = new HashMap<>();
        sample.guests().forEach(guest -> view.pool(guest).ifPresent(pool -> membership.put(guest.id(), pool.name())));
        return of(view.pools(), membership, Optional.of(sample));
    }

    private List<PoolAdvice> of(List<Pool> pools, Map<String, String> membership, Optional<HostSample> sample) {
        List<PoolAdvice> advice = new ArrayList<>();
        List<Guest> guests = sample.map(HostSample::guests).orElse(List.of());
        boolean known = guests.stream().allMatch(guest -> membership.containsKey(guest.id()));
        for (Pool pool : pools) {
            if (sample.isPresent() && SchedulerAdvisor.hasChoice(pool) && !known) {
                advice.add(new PoolAdvice(pool, PoolAdvice.Verdict.UNKNOWN, List.of(), List.of("which guests live in it")));
            } else {
                List<Guest> here = guests.stream().filter(guest -> pool.name().equals(membership.get(guest.id()))).toList();
                advice.add(sample.map(of -> advisor.advise(pool, here, new HostWindow(List.of(of)), declared(here)))
                        .orElseGet(() -> SchedulerAdvisor.withoutChoice(pool)));
            }
        }
        return advice;
    }

    private Map<String, GuestWaits> declared(List<Guest> guests) {
        Map<String, GuestWaits> declared = new HashMap<>();
        guests.forEach(guest -> config.rule(guest.name()).waits().ifPresent(waits -> declared.put(guest.uuid(), waits)));
        return declared;
    }
}
