// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.junit.jupiter.api.Test;

/** Dom0 in a pool of four CPUs, guests in it and in another of one: each pool's CPUs are for those who live in it. */
class PoolCapacityTest {
    private static final Pool LARGE = new Pool("Pool-0", "credit", List.of(0, 1, 2, 3));
    private static final Pool SMALL = new Pool("Pool-G", "credit", List.of(4));
    private static final Guest DOM0 = Hosts.guest("dom0", GuestClass.HOST);
    private static final Guest WEB = Hosts.guest("web", GuestClass.LS1);
    private static final Guest DB = Hosts.guest("db", GuestClass.LS2);
    private static final Guest MAIL = Hosts.guest("mail", GuestClass.LS2);
    private static final List<Guest> GUESTS = List.of(DOM0, WEB, DB, MAIL);

    private final Map<String, String> homes = new LinkedHashMap<>(Map.of(DOM0.id(), "Pool-0", WEB.id(), "Pool-G", DB.id(), "Pool-G",
            MAIL.id(), "Pool-0"));
    private final List<Pool> pools = new ArrayList<>(List.of(LARGE, SMALL));
    private double least = 0.1;
    private double reserve;
    private Arbiter arbiter = Arbiter.WATER_FILLING;

    /** Each of the three has the whole of 0.9 CPUs and uses it up. */
    private Step<?> step() {
        Map<String, CpuBounds> bounds = new LinkedHashMap<>();
        List.of("web", "db", "mail").forEach(name -> bounds.put(name, new CpuBounds(least, 0.9)));
        Readings<GuestMetric> busy = Hosts.readings(GuestMetric.CPU_RUN, 0.9);
        HostWindow window = Hosts.window(GUESTS, List.of(busy, busy, busy, busy));
        JointSettings usual = JointSettings.of(bounds);
        JointController controller = new JointController(new JointSettings(bounds, EnumSet.of(KnobKind.CAP), usual.law(),
                usual.memoryTarget(), usual.period(), usual.responseTime(), arbiter, usual.deadband(), false));
        return controller.step(controller.begin(), window, new HostView(GUESTS, pools, homes, Hosts.MIB, 0,
                pools.stream().mapToInt(pool -> pool.cpus().size()).sum() - reserve,
                Hosts.settings(KnobKind.CAP, List.of(WEB, DB, MAIL), 900, 900, 900)));
    }

    private static Map<String, Integer> caps(Step<?> step) {
        Map<String, Integer> caps = new LinkedHashMap<>();
        step.proposals().forEach(proposal -> caps.put(proposal.knob().target().name(), proposal.value()));
        return caps;
    }

    @Test
    void aPoolIsDividedAmongItsOwn() {
        Step<?> step = step();
        assertThat(caps(step)).isEqualTo(Map.of("web", 500, "db", 500, "mail", 900));
        assertThat(step.held()).isEmpty();
        assertThat(step.proposals()).filteredOn(proposal -> proposal.knob().target().name().equals("web")).singleElement()
                .satisfies(proposal -> assertThat(proposal.why().numbers()).containsEntry("wishes", 1800.0).containsEntry("capacity", 1000.0));
        arbiter = Arbiter.PAPER;
        assertThat(caps(step())).isEqualTo(Map.of("web", 500, "db", 500, "mail", 900));
    }

    @Test
    void theAlarmNamesThePoolInWhichTheMinimaDoNotFit() {
        least = 0.6;
        Step<?> step = step();
        assertThat(step.held()).containsExactly(
                "alarm: cap: in Pool-G the minima of web, db are 1200 CPU/1000 together, and there are 1000");
        assertThat(caps(step)).isEqualTo(Map.of("web", 500, "db", 500, "mail", 900));
    }

    @Test
    void theReserveIsOfThePoolInWhichTheHostItselfLives() {
        reserve = 3.5;
        assertThat(caps(step())).isEqualTo(Map.of("web", 500, "db", 500, "mail", 500));
        homes.put(DOM0.id(), "Pool-G");
        reserve = 0.5;
        assertThat(caps(step())).isEqualTo(Map.of("web", 250, "db", 250, "mail", 900));
        reserve = 2;
        assertThat(caps(step())).as("no pool has less than nothing, and no cap is none")
                .isEqualTo(Map.of("web", 1, "db", 1, "mail", 900));
        homes.remove(DOM0.id());
        reserve = 3.5;
        assertThat(caps(step())).as("nobody knows where: of the first").isEqualTo(Map.of("web", 500, "db", 500, "mail", 500));
    }

    @Test
    void aGuestOfAnUnknownPoolIsHeld() {
        homes.remove(DB.id());
        homes.put(MAIL.id(), "Pool-9");
        Step<?> step = step();
        assertThat(caps(step)).as("the pool that is left is its own").isEqualTo(Map.of("web", 900));
        assertThat(step.held()).containsExactly("db: cap: in which pool of CPUs it lives is not known",
                "mail: cap: in which pool of CPUs it lives is not known");
    }

    /** As a recording of an earlier version says it, and a host with a single pool. */
    @Test
    void whereNobodyAskedAllCpusAreForAll() {
        homes.clear();
        least = 0.6;
        reserve = 3;
        Step<?> step = step();
        assertThat(caps(step)).isEqualTo(Map.of("web", 666, "db", 666, "mail", 666));
        assertThat(step.held()).isEmpty();
        pools.clear();
        pools.add(SMALL);
        reserve = 0;
        assertThat(step().held()).containsExactly("alarm: cap: the minima of web, db, mail are 1800 CPU/1000 together, and there are 1000");
    }
}
