// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.junit.jupiter.api.Test;

/** What cannot be told is against a change. */
class VetoesTest {
    private final FakeBackend host = new FakeBackend();
    private final Guest web = host.start("web", "1", GuestClass.LS1, 256, 0, 512);
    private final GuestKnob cap = GuestKnob.of(KnobKind.CAP, web);
    private final GuestKnob weight = GuestKnob.of(KnobKind.WEIGHT, web);

    @Test
    void whereAHostCannotTellAllStaysUndone() throws Exception {
        host.beforeOrder = () -> {
            throw new IllegalStateException("no answer");
        };
        assertThat(Vetoes.of(host, Map.of(cap, 500, weight, 512))).isEqualTo(Map.of(
                cap, "web's cap: whether 500 may be cannot be told: no answer",
                weight, "web's weight: whether 512 may be cannot be told: no answer"));
        host.asked.clear();
        assertThat(Vetoes.of(host, Map.of())).isEmpty();
        assertThat(host.asked).as("nobody is asked about nothing").isEmpty();
    }

    @Test
    void whatIsJudgedAloneIsInNobodysWay() throws Exception {
        assertThat(Vetoes.each(Map.of(cap, 500, weight, 512), (knob, value) -> {
            if (knob.equals(cap)) {
                throw new IOException("it is gone");
            }
            return Optional.empty();
        })).isEqualTo(Map.of(cap, "web's cap: whether 500 may be cannot be told: it is gone"));
    }
}
