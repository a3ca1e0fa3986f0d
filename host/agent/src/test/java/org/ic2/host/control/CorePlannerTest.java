// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.host.control.CorePlanner.Place;
import org.ic2.host.control.CorePlanner.Plan;
import org.ic2.host.control.CorePlanner.Use;
import org.ic2.host.control.CorePlanner.Vcpu;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Topology;
import org.junit.jupiter.api.Test;

/** Which virtual CPU belongs on which core. */
class CorePlannerTest {
    private static final int STEPS = 100_000;
    private static final List<Integer> EIGHT = IntStream.range(0, 8).boxed().toList();

    /** Two threads a core, numbered as Linux mostly does or side by side, on one node or two. */
    private static final Topology TWO_NODES = new Topology(Map.of(4, 0, 5, 1, 6, 2, 7, 3), Map.of(2, 1, 3, 1, 6, 1, 7, 1));
    private static final List<Topology> TOPOLOGIES = List.of(Topology.FLAT, TWO_NODES, new Topology(Map.of(3, 2, 5, 4, 7, 6, 9, 8), Map.of()),
            new Topology(Map.of(), Map.of(6, 1, 7, 1, 8, 1, 9, 1, 10, 1)));

    private static int wholeCores(List<Integer> cores, Topology topology) {
        int count = 0;
        for (int core : cores) {
            boolean first = true;
            for (int other : cores) {
                first &= other >= core || topology.core(other) != topology.core(core);
            }
            count += first ? 1 : 0;
        }
        return count;
    }

    private static boolean hasDedicatedSibling(Plan plan, int core, List<Integer> cores, Topology topology) {
        for (int other : cores) {
            if (other != core && topology.core(other) == topology.core(core) && plan.uses().get(other) == Use.DEDICATED) {
                return true;
            }
        }
        return false;
    }

    private static Vcpu ls(String guest, int index, GuestClass guestClass, int core) {
        return new Vcpu(guest, index, guestClass, false, 0.1, core);
    }

    private static Vcpu mem(String guest, int core) {
        return new Vcpu(guest, 0, GuestClass.NLS, true, 1, core);
    }

    private static Vcpu cpu(String guest, int core) {
        return new Vcpu(guest, 0, GuestClass.NLS, false, 0.05, core);
    }

    private static List<Vcpu> followed(Plan plan) {
        List<Vcpu> followed = new ArrayList<>(plan.places().size());
        for (Place place : plan.places()) {
            Vcpu of = place.vcpu();
            followed.add(place.isThere() ? of : new Vcpu(of.guest(), of.index(), of.guestClass(), of.intensive(), of.intensity(), place.core()));
        }
        return followed;
    }

    private static boolean isFollowed(Plan plan) {
        boolean all = true;
        for (Place place : plan.places()) {
            all &= place.isThere();
        }
        return all;
    }

    private static List<Vcpu> paper() {
        List<Vcpu> vcpus = new ArrayList<>(List.of(ls("cache", 0, GuestClass.LS1, -1), ls("cache", 1, GuestClass.LS1, -1)));
        IntStream.range(0, 6).forEach(i -> vcpus.add(mem("lbm" + i, -1)));
        IntStream.range(0, 6).forEach(i -> vcpus.add(cpu("sjeng" + i, -1)));
        return vcpus;
    }

    @Test
    void thePapersCaseHasTwoDedicatedThreeMemoryAndThreeOtherCores() {
        Plan plan = CorePlanner.plan(paper(), EIGHT);

        assertThat(plan.cores(Use.DEDICATED)).containsExactly(0, 1);
        assertThat(plan.cores(Use.MEMORY)).containsExactly(2, 3, 4);
        assertThat(plan.cores(Use.SHARED)).containsExactly(5, 6, 7);
        assertThat(plan.crowd()).isZero();
        Map<Integer, Long> crowd = plan.places().stream().collect(Collectors.groupingBy(Place::core, Collectors.counting()));
        assertThat(crowd).isEqualTo(Map.of(0, 1L, 1, 1L, 2, 2L, 3, 2L, 4, 2L, 5, 2L, 6, 2L, 7, 2L));
        assertThat(plan.places()).allSatisfy(place -> assertThat(place.use())
                .isEqualTo(place.vcpu().guest().startsWith("lbm") ? Use.MEMORY
                        : place.vcpu().guest().startsWith("sjeng") ? Use.SHARED : Use.DEDICATED));
    }

    @Test
    void theOtherThreadOfADedicatedCoreIsIdleAndAGuestStaysOnOneNode() {
        List<Vcpu> vcpus = List.of(ls("cache", 0, GuestClass.LS1, 6), ls("cache", 1, GuestClass.LS1, -1), ls("web", 0, GuestClass.LS2, -1),
                mem("lbm0", -1), mem("lbm1", -1), cpu("sjeng", -1));
        Plan plan = CorePlanner.plan(vcpus, EIGHT, TWO_NODES);

        assertThat(plan.places().get(0)).as("it stays").isEqualTo(new Place(vcpus.get(0), 6, Use.DEDICATED));
        assertThat(plan.places().get(1).core()).as("beside it, on node 1").isEqualTo(3);
        assertThat(plan.places().get(2).core()).as("where there is room").isZero();
        assertThat(plan.cores(Use.IDLE)).containsExactly(2, 4, 7);
        assertThat(plan.cores(Use.MEMORY)).containsExactly(1);
        assertThat(plan.cores(Use.SHARED)).containsExactly(5);
        assertThat(plan.crowd()).isZero();
        Plan full = CorePlanner.plan(List.of(ls("a", 0, GuestClass.LS1, 1), ls("b", 0, GuestClass.LS1, 5), ls("c", 0, GuestClass.LS1, -1),
                ls("d", 0, GuestClass.LS1, -1)), EIGHT, TWO_NODES);
        assertThat(full.places()).extracting(Place::core).as("one of two that are on one core moves, and one core stays shared").containsExactly(1, 0, 2, 3);
        assertThat(full.crowd()).isOne();
    }

    @Test
    void aGuestGetsTheNodeOnWhichAllOfItFitsAndACoreOfTheReserveLast() {
        List<Vcpu> three = List.of(ls("cache", 0, GuestClass.LS1, -1), ls("cache", 1, GuestClass.LS1, -1));
        Topology uneven = new Topology(Map.of(), Map.of(1, 1, 2, 1, 3, 1));
        assertThat(CorePlanner.plan(three, List.of(0, 1, 2, 3), uneven).places()).extracting(Place::core).containsExactly(1, 2);
        assertThat(CorePlanner.plan(three.subList(0, 1), List.of(4, 1, 5, 2, 6), TWO_NODES).places()).extracting(Place::core)
                .as("the other threads of 4 and 6 are the reserve's").containsExactly(1);
    }

    @Test
    void whoIsMovedAmongTheOthersStaysOnItsNodeAtATie() {
        List<Vcpu> vcpus = List.of(cpu("a", 3), cpu("b", 3), cpu("c", 0), cpu("d", 0));
        Topology nodes = new Topology(Map.of(), Map.of(2, 1, 3, 1));
        assertThat(CorePlanner.plan(vcpus, List.of(0, 1, 2, 3), nodes).places()).extracting(Place::core).containsExactly(3, 2, 0, 1);
    }

    @Test
    void aSecondCallChangesNothing() {
        Plan again = CorePlanner.plan(followed(CorePlanner.plan(paper(), EIGHT)), EIGHT);

        assertThat(again.places()).allMatch(Place::isThere);
    }

    @Test
    void oneCoreAtLeastStaysSharedAndTheBestClassesComeFirst() {
        List<Vcpu> vcpus = List.of(ls("c", 0, GuestClass.LS3, -1), ls("b", 0, GuestClass.LS2, -1), ls("a", 0, GuestClass.LS1, -1),
                cpu("batch", -1));
        Plan plan = CorePlanner.plan(vcpus, List.of(4, 5, 6));

        assertThat(plan.places().get(2)).isEqualTo(new Place(vcpus.get(2), 4, Use.DEDICATED));
        assertThat(plan.places().get(1)).isEqualTo(new Place(vcpus.get(1), 5, Use.DEDICATED));
        assertThat(plan.places().get(0)).isEqualTo(new Place(vcpus.get(0), 6, Use.SHARED));
        assertThat(plan.places().get(3)).isEqualTo(new Place(vcpus.get(3), 6, Use.SHARED));
        assertThat(plan.crowd()).isEqualTo(1);
        assertThat(CorePlanner.plan(List.of(ls("a", 0, GuestClass.LS1, -1)), List.of(3)).places().get(0).use()).isEqualTo(Use.SHARED);
    }

    @Test
    void memoryCoresAreThoseThatHoldMostOfThemAndWhoSitsWellStays() {
        List<Vcpu> vcpus = List.of(mem("m1", 6), mem("m2", 6), mem("m3", 7), mem("m4", 3), cpu("c1", 7), cpu("c2", 0));
        Plan plan = CorePlanner.plan(vcpus, EIGHT);

        assertThat(plan.cores(Use.MEMORY)).containsExactly(3, 6);
        assertThat(plan.places().get(0).core()).isEqualTo(6);
        assertThat(plan.places().get(1).core()).isEqualTo(6);
        assertThat(plan.places().get(2).core()).isEqualTo(3);
        assertThat(plan.places().get(3).isThere()).isTrue();
        assertThat(plan.places().get(4).isThere()).isTrue();
        assertThat(plan.places().get(5).isThere()).isTrue();
    }

    @Test
    void whereThereIsNobodyToKeepThemFromMemoryIntensiveOnesHaveAllCores() {
        Plan plan = CorePlanner.plan(IntStream.range(0, 6).mapToObj(i -> mem("m" + i, -1)).toList(), EIGHT);

        assertThat(plan.cores(Use.MEMORY)).isEqualTo(EIGHT);
        assertThat(plan.places().stream().map(Place::core).distinct()).hasSize(6);
    }

    /** Guests come, go, change and are moved by others, and a plan is followed or not: {@value #STEPS} times. */
    @Test
    void whateverHappensThePlanKeepsItsPromises() {
        SplittableRandom random = new SplittableRandom(7);
        List<List<Integer>> some = IntStream.rangeClosed(1, 9).mapToObj(count -> IntStream.range(2, 2 + count).boxed().toList()).toList();
        List<Vcpu> vcpus = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            List<Integer> cores = some.get(random.nextInt(9));
            Topology topology = TOPOLOGIES.get(random.nextInt(TOPOLOGIES.size()));
            change(vcpus, random, step);
            Plan plan = CorePlanner.plan(vcpus, cores, topology);
            if (!keepsItsPromises(plan, vcpus, cores, topology)) {
                fail("step %d: %s of %s on %s", step, plan, vcpus, cores);
            }
            List<Vcpu> followed = followed(plan);
            Plan again = CorePlanner.plan(followed, cores, topology);
            if (!isFollowed(again)) {
                fail("step %d: %s is planned again as %s", step, plan, again);
            }
            if (step % 100 == 0) {
                List<Vcpu> shuffled = new ArrayList<>(vcpus);
                Collections.shuffle(shuffled, new Random(step));
                assertThat(CorePlanner.plan(shuffled, cores, topology).places()).containsExactlyInAnyOrderElementsOf(plan.places());
            }
            if (random.nextInt(3) == 0) {
                vcpus = followed;
            }
        }
    }

    private static void change(List<Vcpu> vcpus, SplittableRandom random, int step) {
        if (!vcpus.isEmpty() && (vcpus.size() > 8 || random.nextInt(3) == 0)) {
            vcpus.remove(random.nextInt(vcpus.size()));
        } else {
            vcpus.add(new Vcpu("g" + step, random.nextInt(3), GuestClass.values()[1 + random.nextInt(4)], random.nextBoolean(),
                    random.nextDouble(), random.nextInt(12) - 1));
        }
    }

    /** In plain loops: it is asked often. */
    private static boolean keepsItsPromises(Plan plan, List<Vcpu> vcpus, List<Integer> cores, Topology topology) {
        boolean well = plan.places().size() == vcpus.size() && plan.uses().size() == cores.size();
        int dedicated = 0;
        int sensitive = 0;
        int[] count = new int[16];
        for (int i = 0; i < vcpus.size(); i++) {
            Place place = plan.places().get(i);
            boolean isSensitive = vcpus.get(i).guestClass().latencySensitive();
            count[place.core()]++;
            dedicated += place.use() == Use.DEDICATED ? 1 : 0;
            sensitive += isSensitive ? 1 : 0;
            well &= place.vcpu() == vcpus.get(i) && plan.uses().get(place.core()) == place.use()
                    && (place.use() != Use.DEDICATED || isSensitive);
        }
        well &= dedicated == Math.min(sensitive, wholeCores(cores, topology) - 1) && plan.crowd() == sensitive - dedicated;
        int[] most = new int[Use.values().length];
        int[] least = {Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE};
        for (int core : cores) {
            Use use = plan.uses().get(core);
            if (use == null || use == Use.DEDICATED && count[core] != 1 || use == Use.IDLE && count[core] != 0
                    || (use == Use.IDLE) != hasDedicatedSibling(plan, core, cores, topology)) {
                return false;
            }
            most[use.ordinal()] = Math.max(most[use.ordinal()], count[core]);
            least[use.ordinal()] = Math.min(least[use.ordinal()], count[core]);
        }
        return well && most[Use.MEMORY.ordinal()] - least[Use.MEMORY.ordinal()] <= 1
                && most[Use.SHARED.ordinal()] - least[Use.SHARED.ordinal()] <= 1;
    }
}
