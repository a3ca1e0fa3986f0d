// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Readings;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** Caps and memory of several guests on one host. */
class JointControllerTest {
    private static final Guest WEB = Hosts.guest("web", GuestClass.LS1);
    private static final Guest DB = Hosts.guest("db", GuestClass.LS2);
    private static final List<Guest> BOTH = List.of(WEB, DB);
    private static final Map<String, CpuBounds> BOUNDS = bounds("web", "db");

    private static Map<String, CpuBounds> bounds(String... names) {
        Map<String, CpuBounds> bounds = new LinkedHashMap<>();
        Arrays.stream(names).forEach(name -> bounds.put(name, new CpuBounds(0.1, 0.9)));
        return bounds;
    }

    private static Readings<GuestMetric> uses(double cpus, double mib) {
        return Hosts.readings(GuestMetric.CPU_RUN, cpus, GuestMetric.MEM_USED, mib * Hosts.MIB, GuestMetric.MEM_MAJFLT, 0,
                GuestMetric.MEM_PRESSURE, 0);
    }

    private static Step<JointController.State> step(JointSettings settings, HostWindow window, HostView host) {
        JointController controller = new JointController(settings);
        return controller.step(controller.begin(), window, host);
    }

    private static Map<String, Integer> values(Step<?> step) {
        Map<String, Integer> values = new LinkedHashMap<>();
        step.proposals().forEach(proposal -> values.put(proposal.knob().kind().key() + " of " + proposal.knob().target().name(),
                proposal.value()));
        return values;
    }

    private static HostView view(double cpus, long mib, long free, int capWeb, int capDb, int memoryWeb, int memoryDb) {
        return Hosts.view(BOTH, cpus, mib, free, Hosts.settings(KnobKind.CAP, BOTH, capWeb, capDb),
                Hosts.settings(KnobKind.MEMORY, BOTH, memoryWeb, memoryDb));
    }

    @Test
    void bothLawsOnBothKnobs() {
        HostWindow window = Hosts.window(BOTH, List.of(uses(0.6, 512), uses(0.3, 256)));
        HostView host = view(2, 4096, 2048, 600, 500, 512, 512);
        // cap: 600 - 1.5 600 (0.8 - 1) / 0.8 = 825; 500 - 1.5 300 (0.8 - 0.6) / 0.8 = 387.5; memory: as the design's vectors
        assertThat(values(step(JointSettings.ofPaper(BOUNDS), window, host))).isEqualTo(Map.of("cap of web", 825, "cap of db",
                387,
                "memory of web", 568, "memory of db", 398));
        // 2.5 x 600, at most 900; 0.95 x 500; 1.4 x 512; 0.95 x 512
        assertThat(values(step(JointSettings.of(BOUNDS).saving(), window, host))).isEqualTo(Map.of("cap of web", 900, "cap of db", 475,
                "memory of web", 716, "memory of db", 486));
    }

    @Test
    void whatHasNoLimitIsAtItsUpperBound() {
        Step<?> step = step(JointSettings.of(BOUNDS).saving(), Hosts.window(BOTH, List.of(uses(0.1, 100), uses(0.89, 1020))),
                view(2, 4096, 2048, 0, 0, 0, 0));
        assertThat(values(step)).isEqualTo(Map.of("cap of web", 855, "cap of db", 900, "memory of web", 972, "memory of db",
                1024));
    }

    /** A control group may use all CPUs of its host, and has none of its own: only a machine's virtual CPUs raise its least cap. */
    @Test
    void theLeastCapIsThatOfAMachinesVirtualCpusAndNeverAboveTheGreatest() {
        JointSettings caps = JointSettings.of(Map.of("web", new CpuBounds(0.1, 0.9))).withKnobs(EnumSet.of(KnobKind.CAP)).saving();
        Guest group = new Guest(WEB.id(), WEB.uuid(), "web", 64, WEB.memMin(), WEB.memMax(), GuestClass.LS1, Double.NaN, Double.NaN, true);
        assertThat(group.leastCap(0.9)).isEqualTo(50);
        assertThat(group.leastCap(2.5)).isEqualTo(150);
        assertThat(group.leastCap(100)).isEqualTo(3200);
        assertThat(values(caps(caps, group, 500))).as("0.95 x 500").isEqualTo(Map.of("cap of web", 475));

        Guest machine = new Guest(WEB.id(), WEB.uuid(), "web", 8, WEB.memMin(), WEB.memMax(), GuestClass.LS1, Double.NaN, Double.NaN);
        assertThat(machine.leastCap(0.9)).isEqualTo(400);
        assertThat(values(caps(caps, machine, 410))).isEqualTo(Map.of("cap of web", 400));

        Guest large = new Guest(WEB.id(), WEB.uuid(), "web", 20, WEB.memMin(), WEB.memMax(), GuestClass.LS1, Double.NaN, Double.NaN);
        Step<?> step = caps(caps, large, 500);
        assertThat(step.proposals()).isEmpty();
        assertThat(step.held()).containsExactly("web: cap: expected at least 1.00 CPUs as the greatest of its cpu, a twentieth for each of"
                + " 20 virtual CPUs; got 0.900");

        JointSettings little = JointSettings.of(Map.of("web", new CpuBounds(0.01, 0.03))).withKnobs(EnumSet.of(KnobKind.CAP)).saving();
        assertThat(caps(little, group, 30).held()).containsExactly("web: cap: expected at least 0.05 CPUs as the greatest of its cpu, as no guest"
                + " has less; got 0.030");
    }

    private static Step<?> caps(JointSettings settings, Guest guest, int cap) {
        return step(settings, Hosts.window(List.of(guest), List.of(uses(0.05, 300))), Hosts.view(List.of(guest), 64, 4096, 2048,
                Hosts.settings(KnobKind.CAP, List.of(guest), cap)));
    }

    @Test
    void smallChangesAreNotWantedButNeverADenial() {
        HostView host = view(2, 4096, 2048, 500, 500, 500, 500);
        Step<?> step = step(JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.MEMORY)),
                Hosts.window(BOTH, List.of(uses(0.1, 446), uses(0.1, 456))), host);
        assertThat(values(step)).isEqualTo(Map.of("memory of web", 500, "memory of db", 500));
        assertThat(values(step(JointSettings.of(BOUNDS).saving(), Hosts.window(BOTH, List.of(uses(0.45, 495), uses(0.1, 446))), host)))
                .containsEntry("memory of web", 700).containsEntry("memory of db", 500);
    }

    @Test
    void whatTheHostHasIsDividedAboveTheMinima() {
        // both want 700; one GiB is there, and 24 of it are nobody's
        Step<?> step = step(JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.MEMORY)),
                Hosts.window(BOTH, List.of(uses(0.1, 500), uses(0.1, 500))), view(2, 1024, 24, 500, 500, 500, 500));
        assertThat(values(step)).isEqualTo(Map.of("memory of web", 512, "memory of db", 512));
        KnobProposal proposal = step.proposals().get(0);
        assertThat(proposal.controller()).isEqualTo("joint");
        assertThat(proposal.why().formula()).contains("cut, as the wishes exceed the capacity");
        assertThat(proposal.why().numbers()).containsEntry("wishes", 1400.0).containsEntry("capacity", 1024.0)
                .containsEntry("granted", 512.0).containsEntry("u", 500.0);
    }

    @Test
    void whatAnIdleGuestHasIsNotKeptFromOneThatNeedsIt() {
        // of one CPU: web uses 0.6, and needs 0.6 / 0.8; db, which had no limit either, rests
        JointSettings ours = JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.CAP)).saving();
        HostWindow quiet = Hosts.window(BOTH, List.of(uses(0.6, 300), uses(0, 300)));
        Map<String, Integer> caps = values(step(ours, quiet, view(1, 4096, 2048, 0, 0, 500, 500)));
        assertThat(caps.get("cap of web")).isBetween(749, 900);
        assertThat(caps.get("cap of web") + caps.get("cap of db")).isBetween(998, 1000);
        // where both need more than there is, nobody is served first
        HostWindow busy = Hosts.window(BOTH, List.of(uses(0.5, 300), uses(0.5, 300)));
        assertThat(values(step(ours, busy, view(1, 4096, 2048, 500, 500, 500, 500))))
                .isEqualTo(Map.of("cap of web", 500, "cap of db", 500));
    }

    /** What it uses behind its ladder is not what it needs: a neighbour that wants everything gets the rest, and no more. */
    @Test
    void whoShedsKeepsHisCapUntilItIsOver() {
        JointSettings ours = JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.CAP)).saving();
        HostView host = view(1, 4096, 2048, 550, 450, 500, 500);
        Readings<GuestMetric> sheds = uses(0.1, 300).with(GuestMetric.APP_SHEDDING, 1);
        assertThat(values(step(ours, Hosts.window(BOTH, List.of(sheds, uses(0.45, 300))), host)))
                .isEqualTo(Map.of("cap of web", 550, "cap of db", 450));
        assertThat(values(step(ours, Hosts.window(BOTH, List.of(uses(0.1, 300).with(GuestMetric.APP_SHEDDING, 0), uses(0.45, 300))), host)))
                .extractingByKey("cap of web").satisfies(cap -> assertThat(cap).isLessThan(550));
        // it may grow where there is room, and nothing is kept of a guest without a limit, or by the paper's law
        HostWindow starved = Hosts.window(BOTH, List.of(uses(0.55, 300).with(GuestMetric.APP_SHEDDING, 1), uses(0.1, 300)));
        assertThat(values(step(ours, starved, view(2, 4096, 2048, 550, 450, 500, 500)))).containsEntry("cap of web", 900);
        assertThat(values(step(ours, Hosts.window(BOTH, List.of(sheds, uses(0.1, 300))), view(2, 4096, 2048, 0, 450, 500, 500))))
                .containsEntry("cap of web", 855);
        assertThat(values(step(JointSettings.ofPaper(BOUNDS).withKnobs(EnumSet.of(KnobKind.CAP)).saving(),
                Hosts.window(BOTH, List.of(sheds, uses(0.45, 300))), host)).get("cap of web")).isLessThan(550);
    }

    @Test
    void aGrowUsesOnlyMemoryThatIsFreeOrGivenBack() {
        // the host has 4 GiB, yet only 100 MiB are free; db gives back 25
        Step<?> step = step(JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.MEMORY)),
                Hosts.window(BOTH, List.of(uses(0.1, 800), uses(0.1, 100))), view(2, 4096, 100, 500, 500, 800, 500));
        assertThat(values(step).values().stream().mapToInt(Integer::intValue).sum()).isBetween(1398, 1400);
        assertThat(values(step).get("memory of web")).isGreaterThan(900);
    }

    @Test
    void memoryOfOthersIsTheirs() {
        Guest other = Hosts.guest("other", GuestClass.NLS);
        List<Guest> all = List.of(WEB, DB, other);
        Readings<GuestMetric> others = Hosts.readings(GuestMetric.MEM_ALLOC, 400 * Hosts.MIB);
        HostView host = Hosts.view(all, 2, 1400, 1000, Hosts.settings(KnobKind.MEMORY, BOTH, 0, 0));
        JointSettings memory = JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.MEMORY));
        HostWindow window = Hosts.window(all, List.of(uses(0.1, 900), uses(0.1, 900), others));
        assertThat(values(step(memory.saving(), window, host))).isEqualTo(Map.of("memory of web", 500, "memory of db", 500));
        assertThat(values(step(memory, window, host))).as("nobody lacks any").isEmpty();
    }

    @Test
    void minimaThatDoNotFitAreAnAlarmAndMemoryStaysAtThem() {
        Step<?> step = step(JointSettings.of(BOUNDS).saving(), Hosts.window(BOTH, List.of(uses(0.5, 300), uses(0.5, 300))),
                view(0.15, 400, 0, 500, 500, 300, 230));
        assertThat(step.held())
                .anyMatch(line -> line.equals("alarm: cap: the minima of web, db are 200 CPU/1000 together, and there "
                + "are 150")).anyMatch(line -> line.startsWith("alarm: memory: the minima of web, db are 460 MiB"));
        assertThat(values(step)).isEqualTo(Map.of("cap of web", 75, "cap of db", 75, "memory of web", 230, "memory of db", 230));
    }

    @Test
    void withoutItsInputsItHoldsAndSaysWhy() {
        Readings<GuestMetric> blind = new Readings<>(GuestMetric.class).without(GuestMetric.CPU_RUN, "no rate yet");
        HostView host = Hosts.view(BOTH, 1, 1024, 24, Hosts.settings(KnobKind.CAP, BOTH, 300, 500),
                Hosts.settings(KnobKind.MEMORY, List.of(WEB), 500));
        Step<?> step = step(JointSettings.of(BOUNDS).saving(), Hosts.window(BOTH, List.of(blind, uses(0.5, 500))), host);
        assertThat(step.held()).containsExactlyInAnyOrder("web: cap: cpu.run: no rate yet", "web: memory: mem.used: not measured",
                "db: memory: what is in force is not known");
        // the cap that web keeps is not db's to have
        assertThat(values(step)).isEqualTo(Map.of("cap of db", 700));
    }

    @Test
    void whoIsNotThereOrIsTheHostItselfIsLeftAlone() {
        Guest dom0 = Hosts.guest("Domain-0", GuestClass.HOST);
        HostView host = Hosts.view(List.of(dom0), 2, 1024, 24, Hosts.settings(KnobKind.CAP, List.of(dom0), 500));
        Step<?> step = step(JointSettings.of(bounds("Domain-0", "gone")), Hosts.window(List.of(dom0), List.of(uses(0.5, 500))),
                host);
        assertThat(step.proposals()).isEmpty();
        assertThat(step.held()).containsExactly("Domain-0: the host's own domain is never capped or ballooned",
                "gone: no such guest runs");
    }

    @Test
    void theResponseTimeMovesTheCpusUtilization() {
        Guest web = Hosts.wanting(WEB, 0.1);
        List<Guest> one = List.of(web);
        JointController controller = new JointController(JointSettings.of(bounds("web")).withKnobs(EnumSet.of(KnobKind.CAP)).saving());
        HostView host = Hosts.view(one, 2, 1024, 24, Hosts.settings(KnobKind.CAP, one, 500));
        Readings<GuestMetric> slow = uses(0.4, 100).with(GuestMetric.APP_RT, 0.2).with(GuestMetric.APP_REQUESTS, 50);
        JointController.State state = controller.begin();
        List<Double> references = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Step<JointController.State> step = controller.step(state, Hosts.window(one, List.of(slow)), host);
            references.add(step.proposals().get(0).why().numbers().get("ref"));
            state = step.state();
        }
        assertThat(references).containsExactly(0.8, 0.8, 0.8, 0.7000000000000001, 0.7000000000000001);
        // the fifth sample's requests belong to the next step
        HostWindow silent = Hosts.window(Duration.ofSeconds(12), one, List.of(uses(0.4, 100)), new Readings<>(HostMetric.class));
        Step<?> step = controller.step(controller.step(state, silent, host).state(), silent, host);
        assertThat(step.held()).containsExactly("web: its CPUs' utilization is held at 0.60: no response time was told");
    }

    @Test
    void aGuestStartedAnewIsRememberedAnew() {
        JointController controller = new JointController(JointSettings.of(bounds("web")));
        HostView host = Hosts.view(List.of(WEB), 2, 1024, 24, Hosts.settings(KnobKind.CAP, List.of(WEB), 500));
        JointController.State state = controller.step(controller.begin(), Hosts.window(List.of(WEB), List.of(uses(0.5, 1))), host)
                .state();
        assertThat(state.byUuid().get("web-1").cpu().patience()).isEqualTo(5);
        Guest anew = new Guest(WEB.id(), "web-2", "web", 1, WEB.memMin(), WEB.memMax(), GuestClass.LS1, Double.NaN, Double.NaN);
        assertThat(controller.step(state, Hosts.window(List.of(anew), List.of(uses(0.1, 1))),
                Hosts.view(List.of(anew), 2, 1024, 24, Hosts.settings(KnobKind.CAP, List.of(anew), 500))).state().byUuid())
                .containsOnlyKeys("web-2");
    }

    @Test
    void itExplainsItselfWithTheNumbersOfTheConfiguration() {
        assertThat(new JointController(JointSettings.of(BOUNDS)).explain())
                .anyMatch(line -> line.contains("asymmetric, of web, db"))
                .anyMatch(line -> line.contains("u - 1.50 v (ref - v/u) / ref"))
                .anyMatch(line -> line.contains("(0.90 - v/u) / 0.90"))
                .anyMatch(line -> line.contains("web: 0.100 to 0.900 CPUs")).noneMatch(line -> line.contains("%%"));
        assertThat(new JointController(JointSettings.ofPaper(BOUNDS).withKnobs(EnumSet.of(KnobKind.CAP)).saving()).explain())
                .anyMatch(line -> line.contains("in proportion")).noneMatch(line -> line.contains("MiB"));
        assertThatIllegalArgumentException().isThrownBy(() -> JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.WEIGHT)))
                .withMessageContaining("knobs: expected cap, memory or both, got [weight]");
    }

    /** Bounds, minima, what the host has, one proposal a knob, and never a cap of 0, over 10^5 random steps of four guests. */
    @Test
    void aHundredThousandStepsBreakNothing() {
        SplittableRandom random = new SplittableRandom(7);
        List<Guest> guests = IntStream.range(0, 4).mapToObj(i -> Hosts.wanting(Hosts.guest("g" + i, GuestClass.LS2), 0.1))
                .toList();
        JointController controller = new JointController(JointSettings.of(bounds("g0", "g1", "g2", "g3")).saving());
        JointController.State state = controller.begin();
        Map<GuestKnob, Integer> has = new LinkedHashMap<>();
        guests.forEach(guest -> has.put(GuestKnob.of(KnobKind.CAP, guest), 0));
        guests.forEach(guest -> has.put(GuestKnob.of(KnobKind.MEMORY, guest), 0));
        for (int i = 0; i < 100_000; i++) {
            Map<KnobKind, int[]> values = values(has);
            List<Readings<GuestMetric>> readings = IntStream.range(0, 4)
                    .mapToObj(g -> reading(random, values.get(KnobKind.CAP)[g], values.get(KnobKind.MEMORY)[g])).toList();
            long free = Math.max(0, 2048 - Arrays.stream(values.get(KnobKind.MEMORY)).sum());
            Step<JointController.State> step = controller.step(state, Hosts.window(guests, readings),
                    Hosts.view(guests, 2, 2048, free, Settings.of(has)));
            state = step.state();
            Map<GuestKnob, Integer> wanted = new HashMap<>();
            for (KnobProposal proposal : step.proposals()) {
                boolean cap = proposal.knob().kind() == KnobKind.CAP;
                boolean within = proposal.value() >= (cap ? 100 : 230) && proposal.value() <= (cap ? 900 : 1024);
                if (!within || wanted.put(proposal.knob(), proposal.value()) != null) {
                    fail("step " + i + ": " + step.proposals());
                }
            }
            has.putAll(wanted);
            if (!has.containsValue(0) && (Arrays.stream(values(has).get(KnobKind.CAP)).sum() > 2000
                    || Arrays.stream(values(has).get(KnobKind.MEMORY)).sum() > 2048)) {
                fail("step " + i + ": more than there is: " + has);
            }
        }
        assertThat(has).hasSize(8).doesNotContainValue(0);
    }

    /** A burner wants all that there is, and a server gets what it needs all the same. */
    @Test
    void whoIsLatencySensitiveIsServedBeforeWhoIsNot() {
        Guest burner = Hosts.guest("burner", GuestClass.NLS);
        List<Guest> both = List.of(burner, WEB);
        for (KnobKind kind : List.of(KnobKind.CAP, KnobKind.MEMORY)) {
            JointSettings memory = JointSettings.of(bounds("burner", "web")).withKnobs(EnumSet.of(kind));
            JointSettings settings = kind == KnobKind.CAP ? memory.saving() : memory;
            HostView host = Hosts.view(both, 1, 1000, 0, Hosts.settings(KnobKind.CAP, both, 500, 500), Hosts.settings(KnobKind.MEMORY, both, 400, 600));
            Map<String, Integer> values = values(step(settings, Hosts.window(both, List.of(uses(0.5, 500), uses(0.5, 600))), host));
            assertThat(values.get(kind.key() + " of web")).isGreaterThanOrEqualTo(kind == KnobKind.CAP ? 625 : 600);
            assertThat(values.get(kind.key() + " of burner")).isLessThanOrEqualTo(kind == KnobKind.CAP ? 375 : 400);
        }
    }

    private static final JointSettings MEMORY = JointSettings.of(BOUNDS).withKnobs(EnumSet.of(KnobKind.MEMORY));

    /** web's page cache thrashes below a use that says nothing of it: by refaults, by major faults, by pressure. */
    @Test
    void whoThrashesLacksMemoryHoweverLittleSeemsInUse() {
        for (GuestMetric metric : List.of(GuestMetric.MEM_REFAULT, GuestMetric.MEM_MAJFLT, GuestMetric.MEM_PRESSURE)) {
            Readings<GuestMetric> thrashes = uses(0.1, 20).with(metric, metric == GuestMetric.MEM_PRESSURE ? 0.3 : 5000);
            assertThat(values(step(MEMORY, Hosts.window(BOTH, List.of(thrashes, uses(0.1, 20))), view(2, 4096, 2048, 0, 0, 500, 500))))
                    .as(metric.key()).isEqualTo(Map.of("memory of web", 700, "memory of db", 500));
        }
    }

    @Test
    void memoryIsTakenOnlyWhereSomebodyLacksItAndTheHostHasNone() {
        HostWindow idle = Hosts.window(BOTH, List.of(uses(0.1, 20), uses(0.1, 20)));
        assertThat(values(step(MEMORY, idle, view(2, 1024, 0, 0, 0, 512, 512)))).as("nobody lacks any").isEqualTo(
                Map.of("memory of web", 512, "memory of db", 512));
        HostWindow lacking = Hosts.window(BOTH, List.of(uses(0.1, 510), uses(0.1, 20)));
        assertThat(values(step(MEMORY, lacking, view(2, 4096, 300, 0, 0, 512, 512)))).as("the host has it").isEqualTo(
                Map.of("memory of web", 716, "memory of db", 512));
        Map<String, Integer> lent = values(step(MEMORY, lacking, view(2, 1124, 100, 0, 0, 512, 512)));
        assertThat(lent.get("memory of web")).as("what is free, and a twentieth of db's").isEqualTo(638);
        assertThat(lent.get("memory of db")).isEqualTo(486);
        assertThat(lent.get("memory of web") + lent.get("memory of db")).isLessThanOrEqualTo(1124);
        HostWindow both = Hosts.window(BOTH, List.of(uses(0.1, 510), uses(0.1, 20).with(GuestMetric.MEM_REFAULT, 1000)));
        assertThat(values(step(MEMORY, both, view(2, 1024, 0, 0, 0, 512, 512)))).as("who lacks memory lends none").isEqualTo(
                Map.of("memory of web", 512, "memory of db", 512));
    }

    /** No limit, or one above its most, stays where nobody lacks memory, or the host has what is lacked. */
    @Test
    void noFirstLimitIsSetBeforeAnotherGuestLacksMemory() {
        HostWindow idle = Hosts.window(BOTH, List.of(uses(0.1, 20), uses(0.1, 20)));
        assertThat(values(step(MEMORY, idle, view(2, 4096, 0, 0, 0, 0, 2000)))).isEmpty();
        HostWindow lacking = Hosts.window(BOTH, List.of(uses(0.1, 510), uses(0.1, 20)));
        assertThat(values(step(MEMORY, lacking, view(2, 4096, 300, 0, 0, 512, 0)))).isEqualTo(Map.of("memory of web", 716));
        assertThat(values(step(MEMORY, lacking, view(2, 4096, 300, 0, 0, 512, 2000)))).isEqualTo(Map.of("memory of web", 716));
        assertThat(values(step(MEMORY, lacking, view(2, 4096, 0, 0, 0, 512, 0))).get("memory of db")).as("it lends").isBetween(900, 1023);
        assertThat(values(step(MEMORY, lacking, view(2, 4096, 0, 0, 0, 512, 2000))).get("memory of db")).isLessThan(2000);
        HostWindow itself = Hosts.window(BOTH, List.of(uses(0.1, 20), uses(0.1, 1020).with(GuestMetric.MEM_REFAULT, 1000)));
        assertThat(values(step(MEMORY, itself, view(2, 4096, 0, 0, 0, 512, 0)))).isEqualTo(Map.of("memory of web", 512));
    }

    /** Over many periods db lends to web; in the first in which it suffers it gets back what it had. */
    @Test
    void whatWasLentComesBackInTheFirstPeriodInWhichTheLenderSuffers() {
        JointController controller = new JointController(MEMORY);
        JointController.State state = controller.begin();
        int web = 512;
        int db = 512;
        for (int i = 0; i < 30; i++) {
            Step<JointController.State> step = controller.step(state, Hosts.window(BOTH, List.of(uses(0.1, web), uses(0.1, 20))),
                    view(2, 1024, 0, 0, 0, web, db));
            state = step.state();
            web = values(step).get("memory of web");
            assertThat(values(step).get("memory of db")).as("a twentieth a period").isGreaterThanOrEqualTo((int) (0.95 * db));
            db = values(step).get("memory of db");
            assertThat(web + db).isLessThanOrEqualTo(1024);
        }
        assertThat(db).as("lent, and no more than one change gives back").isBetween(342, 345);
        assertThat(web).isGreaterThan(670);
        Step<JointController.State> back = controller.step(state, Hosts.window(BOTH, List.of(uses(0.1, web),
                uses(0.1, 20).with(GuestMetric.MEM_REFAULT, 500))), view(2, 1024, 0, 0, 0, web, db));
        assertThat(values(back)).isEqualTo(Map.of("memory of web", 512, "memory of db", 512));
    }

    /** web does not lack what it borrowed, and would give it back by twentieths. */
    @Test
    void whatWasBorrowedGoesBackInOnePeriodAlsoWhereItIsNotLacked() {
        JointController controller = new JointController(MEMORY);
        JointController.State state = controller.step(controller.begin(), Hosts.window(BOTH, List.of(uses(0.1, 20), uses(0.1, 20))),
                view(2, 1024, 0, 0, 0, 512, 512)).state();
        Step<JointController.State> back = controller.step(state, Hosts.window(BOTH, List.of(uses(0.1, 20), uses(0.1, 340))),
                view(2, 1024, 0, 0, 0, 682, 342));
        assertThat(values(back)).isEqualTo(Map.of("memory of web", 512, "memory of db", 512));
    }

    @Test
    void withoutSwapNoLimitComesBelowThePeakAndAMargin() {
        HostWindow lacking = Hosts.window(BOTH, List.of(uses(0.1, 510), uses(0.1, 20).with(GuestMetric.MEM_PEAK, 380 * Hosts.MIB)));
        HostView host = view(2, 1024, 0, 0, 0, 512, 512);
        assertThat(values(step(MEMORY, lacking, host)).get("memory of db")).isEqualTo(486);
        assertThat(values(step(MEMORY, lacking, view(2, 998, 0, 0, 0, 512, 486))).get("memory of db")).as("a twentieth would be 461").isEqualTo(475);
        assertThat(values(step(MEMORY.saving(), lacking, host)).get("memory of db")).isEqualTo(475);
    }

    /** What the guests have, no limit as its upper bound. */
    private static Map<KnobKind, int[]> values(Map<GuestKnob, Integer> has) {
        Map<KnobKind, int[]> values = new EnumMap<>(KnobKind.class);
        for (KnobKind kind : List.of(KnobKind.CAP, KnobKind.MEMORY)) {
            values.put(kind, has.entrySet().stream().filter(entry -> entry.getKey().kind() == kind)
                    .mapToInt(entry -> entry.getValue() > 0 ? entry.getValue() : kind == KnobKind.CAP ? 900 : 1024).toArray());
        }
        return values;
    }

    private static Readings<GuestMetric> reading(SplittableRandom random, int cap, int mib) {
        Readings<GuestMetric> readings = Hosts.readings(GuestMetric.CPU_RUN, cap * Math.min(1, 1.2 * random.nextDouble()) / 1000,
                GuestMetric.MEM_USED, mib * Hosts.MIB * Math.min(1, 1.2 * random.nextDouble()),
                GuestMetric.MEM_MAJFLT, random.nextInt(40), GuestMetric.MEM_PRESSURE, random.nextDouble() / 12,
                GuestMetric.APP_RT, random.nextDouble() / 5, GuestMetric.APP_REQUESTS, random.nextInt(20));
        return random.nextInt(20) == 0 ? readings.without(GuestMetric.CPU_RUN, "lost").without(GuestMetric.MEM_USED,
                "lost") : readings;
    }
}
