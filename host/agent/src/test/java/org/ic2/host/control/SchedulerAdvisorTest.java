// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ic2.host.model.GuestMetric.CPU_RUN;
import static org.ic2.host.model.GuestMetric.CPU_WAIT;
import static org.ic2.host.model.GuestMetric.CPU_WAKEUPS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.control.PoolAdvice.Verdict;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.junit.jupiter.api.Test;

class SchedulerAdvisorTest {

    private final List<Guest> guests = new ArrayList<>();
    private final List<Readings<GuestMetric>> readings = new ArrayList<>();
    private final Map<String, GuestWaits> declared = new HashMap<>();

    private void has(String name, int vcpus, double run, double wait, double wakeups) {
        guest(name, vcpus, GuestClass.NLS);
        readings.add(Hosts.readings(CPU_RUN, run, CPU_WAIT, wait, CPU_WAKEUPS, wakeups));
    }

    private void has(String name, int vcpus, double run, double wait, double wakeups, GuestWaits waits) {
        has(name, vcpus, run, wait, wakeups);
        declared.put(name + "-1", waits);
    }

    private void guest(String name, int vcpus, GuestClass guestClass) {
        Guest one = Hosts.guest(name, guestClass);
        guests.add(new Guest(one.id(), one.uuid(), name, vcpus, one.memMin(), one.memMax(), guestClass, Double.NaN, Double.NaN));
    }

    private PoolAdvice advice() {
        return new SchedulerAdvisor().advise(Hosts.POOL, guests, Hosts.window(guests, readings), declared);
    }

    @Test
    void guestsThatTurnAtBarriersWantCreditTwo() {
        has("mpi", 2, 1.0, 0.95, 1, GuestWaits.SPIN);
        has("web", 1, 0.3, 0.2, 400);

        assertThat(advice().verdict()).isEqualTo(Verdict.CREDIT2);
        assertThat(advice().evidence()).containsExactly("3 virtual CPUs on 2 physical ones",
                "mpi: 2 virtual CPUs, 1.00 CPUs in use, 0.95 waited for, 1.0 wake-ups a second: it turns while it waits for its own"
                + " (waits: spin)",
                "web: 1 virtual CPU, 0.30 CPUs in use, 0.20 waited for, 400.0 wake-ups a second: it sleeps");
        assertThat(advice().tells()).isEmpty();
    }

    @Test
    void aSingleVirtualCpuHasNobodyToTurnFor() {
        has("alone", 1, 0.7, 0.3, 0, GuestWaits.SPIN);
        has("other", 2, 1.2, 0.7, 0, GuestWaits.NONE);

        assertThat(advice().verdict()).isEqualTo(Verdict.CREDIT);
    }

    @Test
    void guestsThatOnlyStopForOneAnotherWantCreditOne() {
        has("a", 1, 0.67, 0.33, 0.5);
        has("b", 1, 0.67, 0.33, 9.9);
        has("c", 1, 0.66, 0.34, 0);
        has("quiet", 1, 0.01, 0.0, 30);

        assertThat(advice().verdict()).isEqualTo(Verdict.CREDIT);
        assertThat(advice().evidence()).as("what is idle has no say").hasSize(4).noneMatch(line -> line.startsWith("quiet"));
    }

    @Test
    void whereGuestsSleepThereIsNoAdvice() {
        has("a", 2, 1.0, 0.6, 270);
        has("b", 2, 1.0, 0.6, 270);
        assertThat(advice().verdict()).isEqualTo(Verdict.NO_ADVICE);

        has("c", 1, 0.5, 0.5, 0);
        assertThat(advice().verdict()).as("nor beside one that does not").isEqualTo(Verdict.NO_ADVICE);
    }

    @Test
    void turningAndComputingLookAlikeUntilSomebodySaysWhich() {
        has("hpc", 2, 1.0, 0.95, 1);
        has("burner", 1, 0.9, 0.1, 0);
        assertThat(advice().verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(advice().tells()).singleElement().asString().startsWith("hpc: say in the configuration whether it turns");

        declared.put("hpc-1", GuestWaits.NONE);
        assertThat(advice().verdict()).isEqualTo(Verdict.CREDIT);
        declared.put("hpc-1", GuestWaits.SPIN);
        assertThat(advice().verdict()).isEqualTo(Verdict.CREDIT2);
        declared.put("hpc-1", GuestWaits.BLOCK);
        assertThat(advice().verdict()).isEqualTo(Verdict.NO_ADVICE);
    }

    @Test
    void withoutOvercommitmentOrWaitingEitherWillDo() {
        has("a", 1, 1.0, 0.0, 0);
        has("b", 1, 1.0, 0.0, 0);
        assertThat(advice().verdict()).isEqualTo(Verdict.EITHER);

        guest("Domain-0", 1, GuestClass.HOST);
        readings.add(Hosts.readings(CPU_RUN, 0.01));
        assertThat(advice().evidence()).as("the host's own counts").first().isEqualTo("3 virtual CPUs on 2 physical ones");
        assertThat(advice().verdict()).isEqualTo(Verdict.EITHER);
        assertThat(advice().evidence()).last().asString().startsWith("0.00 CPUs are waited for");
    }

    @Test
    void whatIsMissingIsNotKnownAndSaid() {
        has("a", 2, 1.0, 0.9, 0, GuestWaits.NONE);
        guest("b", 2, GuestClass.NLS);
        readings.add(Hosts.readings(CPU_RUN, 1.0).without(CPU_WAIT, "xentrace failed"));

        assertThat(advice().verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(advice().tells()).containsExactly("b: cpu.wait (xentrace failed)");
    }

    @Test
    void anotherSchedulerLeavesNoChoice() {
        PoolAdvice advice = new SchedulerAdvisor().advise(new Pool("linux", "cfs", List.of(0)), guests,
                Hosts.window(guests, readings), declared);
        assertThat(advice.verdict()).isEqualTo(Verdict.NO_ADVICE);
        assertThat(advice.evidence()).singleElement().asString().contains("its scheduler is cfs");
    }
}
