// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Readings;
import org.junit.jupiter.api.Test;

/** Weights as the provider says them, by class. */
class ValuesByClassTest {
    @Test
    void eachGuestGetsTheWeightOfItsClass() {
        Guest web = Hosts.guest("web", GuestClass.LS1);
        Guest db = Hosts.guest("db", GuestClass.LS2);
        Guest batch = Hosts.guest("batch", GuestClass.NLS);
        Guest fresh = Hosts.guest("fresh", GuestClass.NLS);
        List<Guest> all = List.of(web, db, batch, fresh);
        ValuesByClass weights = new ValuesByClass(KnobKind.WEIGHT, Map.of(GuestClass.LS1, 2048, GuestClass.NLS, 256), Duration.ofSeconds(15));
        Step<ValuesByClass.State> step = weights.step(weights.begin(), Hosts.window(all, List.of(none(), none(), none(), none())),
                Hosts.view(all, 2, 1024, 0, Hosts.settings(KnobKind.WEIGHT, List.of(web, db, batch), 256, 256, 100)));
        assertThat(step.proposals()).extracting(KnobProposal::knob, KnobProposal::value, KnobProposal::controller).containsExactly(
                org.assertj.core.groups.Tuple.tuple(GuestKnob.of(KnobKind.WEIGHT, web), 2048, "weights"),
                org.assertj.core.groups.Tuple.tuple(GuestKnob.of(KnobKind.WEIGHT, batch), 256, "weights"));
        assertThat(step.held()).containsExactly("fresh: weight: what is in force is not known");
        assertThat(weights.explain()).contains("  LS1: 2048", "  NLS: 256");
    }

    private static Readings<org.ic2.host.model.GuestMetric> none() {
        return new Readings<>(org.ic2.host.model.GuestMetric.class);
    }
}
