// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;

/**
 * A proposal as far as it may go now.
 *
 * @param before what is in force, in the knob's unit
 * @param value  what is to be
 */
record KnobMove(KnobProposal proposal, int before, int value) {
    GuestKnob knob() {
        return proposal.knob();
    }

    /** For people and the journal. */
    String text() {
        return knob().label() + " " + before + " -> " + value;
    }

    boolean is(KnobKind kind) {
        return knob().kind() == kind;
    }

    /** From no limit everything shrinks. */
    boolean grows() {
        return value > before && !(before == 0 && (is(KnobKind.CAP) || is(KnobKind.MEMORY)));
    }

    /** What shrinks comes first; of what grows the time slice, under which the rate limit must stay. */
    int stage() {
        return !grows() ? 0 : is(KnobKind.TSLICE) ? 1 : 2;
    }
}
