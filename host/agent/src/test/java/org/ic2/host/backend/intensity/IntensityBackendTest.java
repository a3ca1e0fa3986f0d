// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.intensity.IntensityMeter.Intensity;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.junit.jupiter.api.Test;

class IntensityBackendTest {
    private final FakeBackend host = new FakeBackend();
    private final Guest web = host.start("web", "7", GuestClass.LS1, 256, 0, 512);
    private final Guest batch = host.start("batch", "8", GuestClass.NLS, 256, 0, 512);
    private final Map<String, Intensity> told = new HashMap<>(Map.of(web.uuid(), new Intensity(3e6, "")));
    private int asked;
    private boolean closed;
    private final Backend metered = IntensityBackend.of(host, new IntensityMeter() {
        @Override
        public String source() {
            return "a test, 1/s";
        }

        @Override
        public boolean dear() {
            return true;
        }

        @Override
        public Map<String, Intensity> read(List<Guest> guests) {
            asked++;
            return told;
        }

        @Override
        public void close() {
            closed = true;
        }
    }, UnaryOperator.identity());

    @Test
    void theMeterIsAskedOnlyWhenWanted() throws Exception {
        assertThat(metered.read(Instant.EPOCH, Set.of()).get(web, GuestMetric.MEM_INTENSITY)).isNaN();
        assertThat(asked).isZero();
        HostSample sample = metered.read(Instant.EPOCH, Set.of(GuestMetric.MEM_INTENSITY));
        assertThat(sample.get(web, GuestMetric.MEM_INTENSITY)).isEqualTo(3e6);
        assertThat(sample.get(web, GuestMetric.CPU_RUN)).as("the host's own").isEqualTo(0.5);
        assertThat(sample.byUuid().get(batch.uuid()).why(GuestMetric.MEM_INTENSITY)).isEqualTo("not measured");
        told.put(batch.uuid(), Intensity.none("it hides"));
        assertThat(metered.read(Instant.EPOCH, Set.of(GuestMetric.MEM_INTENSITY)).byUuid().get(batch.uuid())
                .why(GuestMetric.MEM_INTENSITY)).isEqualTo("it hides");
        assertThat(metered.capabilities().metrics().get(GuestMetric.MEM_INTENSITY).name()).isEqualTo("a test, 1/s");
    }

    @Test
    void allElseIsTheHosts() throws Exception {
        GuestKnob cap = GuestKnob.of(KnobKind.CAP, web);
        metered.set(cap, 500);
        assertThat(metered.get(cap)).isEqualTo(500);
        assertThat(metered.exact(cap)).isEqualTo("exactly 500");
        host.gradual = true;
        host.lacking.add(KnobKind.CPUSET);
        assertThat(metered.gradual(KnobKind.MEMORY)).isTrue();
        assertThat(metered.has(GuestKnob.of(KnobKind.CPUSET, web))).isFalse();
        host.unreadable = true;
        assertThatThrownBy(metered::guests).isInstanceOf(IOException.class).hasMessage("no answer");
        metered.close();
        assertThat(closed).isTrue();
    }
}
