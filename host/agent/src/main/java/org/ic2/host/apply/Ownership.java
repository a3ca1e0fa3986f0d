// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;

/** Who may move which knob: one controller each, and of the host's own domain the weight alone. */
public final class Ownership {

    private final List<Claim> claims;

    /** @throws IllegalArgumentException if two may move one knob */
    public Ownership(List<Claim> claims) {
        for (int i = 0; i < claims.size(); i++) {
            for (int j = i + 1; j < claims.size(); j++) {
                if (claims.get(i).meets(claims.get(j))) {
                    throw new IllegalArgumentException("a knob has one owner, and both " + claims.get(i).controller() + " and "
                            + claims.get(j).controller() + " are to move " + shared(claims.get(i), claims.get(j)));
                }
            }
        }
        this.claims = List.copyOf(claims);
    }

    private static String shared(Claim one, Claim other) {
        return one.kinds().stream().filter(other.kinds()::contains).map(KnobKind::key).findFirst().orElseThrow();
    }

    /** Who may move a kind of knob of a guest. */
    public Optional<String> owner(KnobKind kind, Guest guest) {
        if (guest.guestClass() == GuestClass.HOST && kind != KnobKind.WEIGHT) {
            return Optional.empty();
        }
        return claims.stream().filter(claim -> claim.covers(kind, guest.name())).map(Claim::controller).findFirst();
    }

    /** Who may move a kind of knob of the pools. */
    public Optional<String> owner(KnobKind kind) {
        return claims.stream().filter(claim -> claim.kinds().contains(kind)).map(Claim::controller).findFirst();
    }

    /** All knobs of these guests and pools that somebody may move: the guests' in their order, then the pools'. */
    public List<GuestKnob> knobs(List<Guest> guests, List<Pool> pools) {
        List<GuestKnob> knobs = new ArrayList<>();
        for (KnobKind kind : KnobKind.values()) {
            if (!kind.ofPool()) {
                guests.stream().filter(guest -> owner(kind, guest).isPresent()).forEach(guest -> knobs.addAll(GuestKnob.all(kind, guest)));
            } else if (owner(kind).isPresent()) {
                pools.forEach(pool -> knobs.add(GuestKnob.of(kind, pool)));
            }
        }
        return knobs;
    }
}
