// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.ic2.host.model.KnobKind;
import org.junit.jupiter.api.Test;

class OwnershipTest {

    @Test
    void twoOwnersOfAKnobAreAnError() {
        Claim caps = new Claim("joint", EnumSet.of(KnobKind.CAP), Set.of("web"));

        assertThatThrownBy(() -> new Ownership(List.of(caps, new Claim("other", EnumSet.of(KnobKind.CAP), Set.of()))))
                .hasMessage("a knob has one owner, and both joint and other are to move cap");
        assertThatThrownBy(() -> new Ownership(List.of(caps, new Claim("other", EnumSet.of(KnobKind.CAP), Set.of("web", "db")))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new Ownership(List.of(caps, new Claim("other", EnumSet.of(KnobKind.CAP), Set.of("db"))))).isNotNull();
        assertThat(new Ownership(List.of(caps, new Claim("other", EnumSet.of(KnobKind.WEIGHT), Set.of())))).isNotNull();
    }
}
