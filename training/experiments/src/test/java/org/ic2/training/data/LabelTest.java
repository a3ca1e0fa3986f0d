// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Label;
import org.junit.jupiter.api.Test;

class LabelTest {
    private static final Instant T0 = Instant.ofEpochSecond(1000);

    private static final Truth PAPER = Truth.ofSwitches(List.of(new Switch(T0.plusSeconds(100), true, "dcopy", "same-core"),
            new Switch(T0.plusSeconds(200), false, "dcopy", "same-core")), Duration.ofSeconds(30));

    private static Label at(Truth truth, double from, double to) {
        return truth.of(T0.plusMillis((long) (1000 * from)), T0.plusMillis((long) (1000 * to))).orElse(null);
    }

    @Test
    void thirtySecondsAfterEachSwitchAreTransient() {
        assertThat(at(PAPER, 95, 100)).isEqualTo(Label.NO_INTERFERENCE);
        assertThat(at(PAPER, 99, 100.1)).as("the switch lies in the interval").isEqualTo(Label.TRANSIENT);
        assertThat(at(PAPER, 129, 134)).as("the settling ends in the interval").isEqualTo(Label.TRANSIENT);
        assertThat(at(PAPER, 130, 135)).isEqualTo(Label.INTERFERENCE);
        assertThat(at(PAPER, 195, 200)).isEqualTo(Label.INTERFERENCE);
        assertThat(at(PAPER, 200, 201)).isEqualTo(Label.TRANSIENT);
        assertThat(at(PAPER, 230, 231)).isEqualTo(Label.NO_INTERFERENCE);
    }

    @Test
    void readsWhatTheNeighbourWrites() {
        List<Switch> switches = NeighbourLog.read("n.csv", List.of("time,event,program,placement,lateness_ms",
                "1000.250,start,\"dcopy --size \"\"20MB\"\", --threads 2\",same-core,0.1",
                "1060.000,stop,\"dcopy\",same-core,0.2"));
        assertThat(switches).extracting(Switch::on).containsExactly(true, false);
        assertThat(switches.get(0).time()).isEqualTo(Instant.ofEpochMilli(1000250));
        assertThat(switches.get(0).program()).isEqualTo("dcopy --size \"20MB\", --threads 2");
    }

    @Test
    void namesTheLineOfALogThatItDoesNotUnderstand() {
        assertThatThrownBy(() -> NeighbourLog.read("n.csv", List.of("time,event,program,placement,lateness_ms",
                "1000,paused,\"dcopy\",same-core,0.1"))).isInstanceOf(FormatException.class)
                .hasMessageContaining("n.csv").hasMessageContaining("line 2").hasMessageContaining("start or stop");
    }

    @Test
    void productionIsLabelledByRanges() {
        TimeRanges ranges = TimeRanges.read("r.csv", List.of("from,to,label", "1000,1100,NO_INTERFERENCE",
                "1970-01-01T00:20:00Z,1970-01-01T00:21:40Z,INTERFERENCE"), Optional.empty());
        assertThat(at(ranges, 0, 5)).isEqualTo(Label.NO_INTERFERENCE);
        assertThat(at(ranges, 98, 103)).as("across a border").isEqualTo(Label.TRANSIENT);
        assertThat(at(ranges, 150, 155)).as("nothing is known").isNull();
        assertThat(at(ranges, 200, 205)).isEqualTo(Label.INTERFERENCE);
    }

    @Test
    void refusesRangesThatContradictEachOther() {
        assertThatThrownBy(() -> TimeRanges.read("r.csv", List.of("from,to,label", "1000,1100,NO_INTERFERENCE",
                "1050,1200,INTERFERENCE"), Optional.empty())).hasMessageContaining("overlaps");
    }
}
