// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.ic2.host.control.PoolAdvice;
import org.ic2.host.control.PoolAdvice.Verdict;
import org.ic2.host.control.SchedulerAdvisor;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.junit.jupiter.api.Test;

/**
 * What the adviser says of traces of real Xen, beside what was measured there (host/docs/study.md, P2): time on Credit2 over time on
 * Credit1 of guests that turn at barriers 0.43, that sleep there 1.02, that never meet 1.11.
 */
class RecordedAdviceTest {

    private static final int IDLE_DOMAIN = 32767;

    /** Dom0 has one virtual CPU, each guest so many. */
    private static PoolAdvice of(String trace, String scheduler, int cpus, int vcpus, GuestWaits waits) throws IOException {
        Map<Integer, Xenalyze.Times> times = Xenalyze.parse(XenSamples.of(trace).output(), 1e9);
        List<Guest> guests = new ArrayList<>();
        Map<String, Readings<GuestMetric>> readings = new HashMap<>();
        Map<String, GuestWaits> declared = new HashMap<>();
        times.keySet().stream().filter(id -> id != IDLE_DOMAIN && (cpus > 1 || id != 0)).sorted().forEach(id -> {
            boolean host = id == 0;
            Guest guest = new Guest(Integer.toString(id), "u" + id, "j" + id, host ? 1 : vcpus, 0, 0,
                    host ? GuestClass.HOST : GuestClass.NLS, Double.NaN, Double.NaN);
            guests.add(guest);
            readings.put(guest.uuid(), XenBackend.traced(new Readings<>(GuestMetric.class)
                    .with(GuestMetric.CPU_RUN, times.get(id).running()), times.get(id), false));
            if (waits != null) {
                declared.put(guest.uuid(), waits);
            }
        });
        HostSample sample = new HostSample(Instant.EPOCH, Duration.ofSeconds(2), guests, readings, new Readings<>(HostMetric.class));
        Pool pool = new Pool("Pool-0", scheduler, IntStream.range(0, cpus).boxed().toList());
        return new SchedulerAdvisor().advise(pool, guests, new HostWindow(List.of(sample)), declared);
    }

    private static final List<String> TRACES = List.of("exact/80-c1-%s-xenalyze", "exact/81-c2-%s-xenalyze");

    private static PoolAdvice of(String trace, String mode, GuestWaits waits) throws IOException {
        return of(trace.formatted(mode), trace.contains("80-c1") ? "credit" : "credit2", 2, 2, waits);
    }

    @Test
    void guestsThatTurnAreKnownOnceSomebodySaysSo() throws Exception {
        for (String trace : TRACES) {
            assertThat(of(trace, "spin", GuestWaits.SPIN).verdict()).as(trace).isEqualTo(Verdict.CREDIT2);
            assertThat(of(trace, "spin", null).verdict()).as(trace).isEqualTo(Verdict.UNKNOWN);
            assertThat(of(trace, "spin", null).tells()).hasSize(2);
        }
    }

    @Test
    void guestsThatSleepAreSeenToSleep() throws Exception {
        for (String trace : TRACES) {
            PoolAdvice advice = of(trace, "block", null);

            assertThat(advice.verdict()).as(trace).isEqualTo(Verdict.NO_ADVICE);
            assertThat(advice.evidence()).filteredOn(line -> line.endsWith("it sleeps")).hasSize(2);
        }
    }

    @Test
    void guestsThatNeverMeetAreNotTakenForSleepersAndWantCreditOneOnceThatIsSaid() throws Exception {
        for (String trace : TRACES) {
            assertThat(of(trace, "ep", GuestWaits.NONE).verdict()).as(trace).isEqualTo(Verdict.CREDIT);
            assertThat(of(trace, "ep", null).verdict()).as(trace).isEqualTo(Verdict.UNKNOWN);
        }
    }

    /** Two CPUs for two guests of two virtual ones: "somewhat short" of a CPU each, and so of 200 % where there are twice as many. */
    @Test
    void eachGuestGetsItsShare() throws Exception {
        for (String trace : TRACES) {
            for (String mode : List.of("spin", "block")) {
                Map<Integer, Xenalyze.Times> times = Xenalyze.parse(XenSamples.of(trace.formatted(mode)).output(), 1e9);
                assertThat(times.keySet()).filteredOn(id -> id != 0 && id != IDLE_DOMAIN).hasSize(2)
                        .allSatisfy(id -> assertThat(times.get(id).running()).as(trace + " " + mode).isBetween(0.94, 1.03));
            }
        }
    }

    /** Runs of 30 ms against 1 ms: whoever computes alone is switched 30 times as often by Credit2. */
    @Test
    void burnersWantCreditOneUnderEitherScheduler() throws Exception {
        assertThat(of("exact/36-credit1-equal-xenalyze", "credit", 1, 1, null).verdict()).isEqualTo(Verdict.CREDIT);
        assertThat(of("exact/43-credit2-equal-xenalyze", "credit2", 1, 1, null).verdict()).isEqualTo(Verdict.CREDIT);
    }
}
