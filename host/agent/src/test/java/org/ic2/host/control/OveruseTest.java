// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** Whose caps are lowered, and for whose sake. */
class OveruseTest {
    private static final double TARGET = 0.04;

    private final Map<String, Guest> guests = new LinkedHashMap<>();
    private final Map<String, Double> uses = new LinkedHashMap<>();
    private final Map<String, Double> told = new LinkedHashMap<>();
    private final Map<String, Integer> caps = new LinkedHashMap<>();
    private final Map<String, Integer> weights = new LinkedHashMap<>();
    private final List<Pool> pools = new ArrayList<>(List.of(Hosts.POOL));
    private final Map<String, String> homes = new LinkedHashMap<>();
    private double cpus = 2;
    private JointController controller;
    private JointController.State state;

    /** A guest that uses so many CPUs, and tells of such response times; 0 tells nothing. */
    private void guest(String name, GuestClass of, double use, double rt) {
        guests.put(name, Hosts.wanting(Hosts.guest(name, of), rt > 0 ? TARGET : Double.NaN));
        uses.put(name, use);
        told.put(name, rt);
        caps.put(name, 0);
    }

    private void begin() {
        Map<String, CpuBounds> bounds = new LinkedHashMap<>();
        guests.keySet().forEach(name -> bounds.put(name, new CpuBounds(0.1, 1.9)));
        controller = new JointController(JointSettings.of(bounds).withKnobs(EnumSet.of(KnobKind.CAP)));
        state = controller.begin();
    }

    /** Periods of 3 s, in which what is wanted is done. */
    private void periods(int count) {
        List<Guest> all = new ArrayList<>(guests.values());
        for (int i = 0; i < count; i++) {
            List<Readings<GuestMetric>> readings = all.stream().map(guest -> {
                double allowed = caps.get(guest.name()) > 0 ? caps.get(guest.name()) / 1000.0 : cpus;
                Readings<GuestMetric> of = Hosts.readings(GuestMetric.CPU_RUN, Math.min(allowed, uses.get(guest.name())));
                return told.get(guest.name()) > 0 ? of.with(GuestMetric.APP_RT, told.get(guest.name())).with(GuestMetric.APP_REQUESTS, 100) : of;
            }).toList();
            Settings settings = Hosts.settings(KnobKind.CAP, all, all.stream().mapToInt(guest -> caps.get(guest.name())).toArray());
            for (Map.Entry<String, Integer> weight : weights.entrySet()) {
                settings = settings.with(GuestKnob.of(KnobKind.WEIGHT, guests.get(weight.getKey())), weight.getValue());
            }
            HostView host = new HostView(all, pools, homes, 4096 * Hosts.MIB, 0, cpus, settings);
            Step<JointController.State> step = controller.step(state, Hosts.window(Duration.ofSeconds(3), all, readings,
                    new Readings<>(HostMetric.class)), host);
            state = step.state();
            for (KnobProposal proposal : step.proposals()) {
                caps.put(proposal.knob().target().name(), proposal.value());
            }
        }
    }

    @Test
    void nobodyIsCappedWhereNobodyMissesHisTarget() {
        guest("web", GuestClass.LS1, 0.8, 0.03);
        guest("burner", GuestClass.NLS, 1.2, 0);
        begin();
        periods(100);
        assertThat(caps).containsEntry("web", 0).containsEntry("burner", 0);
    }

    /** The burner comes down to what web leaves, and never below the share of its weight; web has no cap at any time. */
    @Test
    void whoUsesMoreThanHisShareIsCappedForOneThatMisses() {
        guest("web", GuestClass.LS1, 0.8, 0.1);
        guest("burner", GuestClass.NLS, 1.2, 0);
        guest("little", GuestClass.NLS, 0.1, 0);
        begin();
        periods(40);
        assertThat(caps).containsEntry("web", 0).containsEntry("little", 0);
        assertThat(caps.get("burner")).isBetween(667, 1199);
        told.put("web", 0.01);
        uses.put("burner", 0.7);
        periods(20);
        int rested = caps.get("burner");
        uses.put("burner", 1.9);
        periods(10);
        assertThat(caps.get("burner")).as("nobody misses any more").isGreaterThan(rested);
    }

    /** What one pool's guests use takes nothing from another's. */
    @Test
    void nobodyIsCappedForAMissInAnotherPool() {
        pools.add(new Pool("other", "credit", List.of(2, 3)));
        cpus = 4;
        for (String pool : List.of("Pool-0", "other")) {
            guest("web in " + pool, GuestClass.LS1, 0.8, pool.equals("other") ? 0.01 : 0.1);
            guest("burner in " + pool, GuestClass.NLS, 1.2, 0);
            homes.put("/web in " + pool, pool);
            homes.put("/burner in " + pool, pool);
        }
        begin();
        int capped = 0;
        for (int i = 0; i < 40; i++) {
            periods(1);
            int cap = caps.get("burner in Pool-0");
            capped += cap > 0 && cap < 1200 ? 1 : 0;
            assertThat(caps).containsEntry("burner in other", 0);
        }
        assertThat(capped).as("periods").isPositive();
    }

    @Test
    void theShareIsThatOfTheWeight() {
        guest("web", GuestClass.LS1, 0.8, 0.1);
        guest("burner", GuestClass.NLS, 0.6, 0);
        begin();
        periods(20);
        assertThat(caps).as("a half is one CPU").containsEntry("burner", 0);
        weights.put("web", 1792);
        weights.put("burner", 256);
        periods(10);
        assertThat(caps.get("burner")).as("an eighth is a quarter of a CPU").isBetween(250, 1900);
    }

    /** H7: a tenant that tells 10 s takes nothing from a better class, and nothing lasting from an equal. */
    @Test
    void aTenantThatAlwaysComplainsGainsNothingOverAnHour() {
        guest("liar", GuestClass.NLS, 0.3, 10);
        guest("equal", GuestClass.NLS, 0.8, 0);
        guest("server", GuestClass.LS2, 0.7, 0.01);
        begin();
        double withheld = 0;
        for (int i = 0; i < 1200; i++) {
            periods(1);
            int cap = caps.get("equal");
            withheld += cap > 0 ? Math.max(0, uses.get("equal") - cap / 1000.0) : 0;
            assertThat(cap == 0 || cap >= 666).as("never below its weight's share").isTrue();
        }
        assertThat(caps).as("a better class is never capped for it").containsEntry("server", 0).containsEntry("liar", 0);
        assertThat(withheld / 1200).as("CPUs over the hour, of 0.8").isLessThan(0.01);
    }

    @Test
    void whoIsHeardNoMoreIsHeardAgainWhenHeWasContentForAsLong() {
        Complaint complaint = Complaint.none();
        for (int i = 0; i < 100; i++) {
            complaint = complaint.after(3, 1, TARGET);
            assertThat(complaint.counts()).isEqualTo(i >= 11 && i < 60);
        }
        for (int i = 0; i < 100; i++) {
            complaint = complaint.after(3, 0.01, TARGET);
            assertThat(complaint.counts()).isFalse();
        }
        assertThat(complaint.after(36, 1, TARGET).counts()).isTrue();
        assertThat(complaint.after(33, 1, TARGET).counts()).as("now and then a queue misses its target").isFalse();
        assertThat(complaint.after(33, 1, TARGET).after(3, 0.01, TARGET).after(33, 1, TARGET).counts()).isFalse();
        assertThat(Complaint.none().after(60, Double.NaN, TARGET).counts()).isFalse();
    }
}
