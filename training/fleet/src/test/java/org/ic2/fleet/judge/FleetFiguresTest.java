// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ic2.knowledge.Label;
import org.ic2.training.evaluate.Confusion;
import org.junit.jupiter.api.Test;

/** Figures of a fleet: each with its interval over tenants, and who is served badly. */
class FleetFiguresTest {
    private static final String INTERVAL = "\\d+\\.\\d % \\(\\d+\\.\\d to \\d+\\.\\d\\)";

    /** 100 rows of each side, of which so many are missed, and so many false alarms. */
    private static Confusion tenant(int missed, int alarms) {
        return Confusion.of(Label.INTERFERENCE, Label.NO_INTERFERENCE, missed)
                .plus(Confusion.of(Label.INTERFERENCE, Label.INTERFERENCE, 100 - missed))
                .plus(Confusion.of(Label.NO_INTERFERENCE, Label.INTERFERENCE, alarms))
                .plus(Confusion.of(Label.NO_INTERFERENCE, Label.NO_INTERFERENCE, 100 - alarms));
    }

    @Test
    void aTableHasAnIntervalForEachFigureOfSeveralTenantsAndNoneForOne() {
        List<String> lines = FleetFigures.table("day", Map.of("2026-05-07", Map.of("a", tenant(1, 2), "b", tenant(5, 1), "c", tenant(3, 9)),
                "2026-05-08", Map.of("a", tenant(2, 3))), 20, 1).lines().toList();
        assertThat(lines.get(0)).matches("day +tenants +interference +without +miss rate +recall +precision +false alarms");
        assertThat(lines.get(1)).matches("2026-05-07 +3 +300 +300 +" + INTERVAL + " +97\\.0 % \\S+ to \\S+ +" + INTERVAL + " +4\\.0 % \\S+ to \\S+");
        assertThat(lines.get(2)).matches("2026-05-08 +1 +100 +100 +\\d\\.\\d % +98\\.0 % +97\\.0 % +3\\.0 %");
        assertThat(lines).hasSize(3);
    }

    @Test
    void theWorstComeFirstAndTheRestIsCounted() {
        Map<String, Map<String, Confusion>> by = Map.of("good", Map.of("a", tenant(0, 0)), "bad", Map.of("b", tenant(50, 50)),
                "unjudged", Map.of("c", Confusion.empty()));
        assertThat(FleetFigures.table("host", by, 2, 1).lines().map(line -> line.split(" ")[0])).containsExactly("host", "bad", "good", "...");
    }

    @Test
    void aTenantIsServedBadlyIfItsMissRateIsTwiceThatOfAllOnEnoughRows() {
        Map<String, Confusion> tenants = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            tenants.put("well-" + i, tenant(1, 1));
        }
        tenants.put("worse", tenant(20, 10));
        tenants.put("worst", tenant(40, 10));
        tenants.put("little", Confusion.of(Label.INTERFERENCE, Label.NO_INTERFERENCE, 50));
        assertThat(FleetFigures.of(tenants, 1).badlyServed(0.05)).containsExactly("worst", "worse");
        assertThat(FleetFigures.of(tenants, 1).badlyServed(0.2)).containsExactly("worst");
    }
}
