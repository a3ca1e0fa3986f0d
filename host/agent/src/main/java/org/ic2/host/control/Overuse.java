// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;

/**
 * Whose caps may be lowered: of guests that use more than the share of their weight, while another one of their pool of CPUs misses its
 * response time, and not for the sake of a guest of a worse class. Nobody is capped below the share of his weight. So what a tenant tells takes nothing
 * from a better class, and from equals only what is not theirs by weight. All in CPU/1000.
 */
final class Overuse {
    private final Map<String, Double> shares = new HashMap<>();
    private final Map<String, Double> uses = new HashMap<>();
    /** The best class of those who miss their response time, of each pool. */
    private final Map<Optional<Pool>, GuestClass> missing = new HashMap<>();
    private final HostView host;
    private final Map<String, Boolean> misses = new HashMap<>();

    /**
     * What is so now.
     *
     * @param guests  the controlled ones
     * @param heard   what is remembered of each, by uuid
     */
    Overuse(HostWindow window, HostView host, InForce inForce, List<Guest> guests, Map<String, JointGuest> heard) {
        this.host = host;
        for (Guest guest : host.guests()) {
            uses.put(guest.uuid(), 1000 * window.mean(guest, GuestMetric.CPU_RUN));
            double together = host.guests().stream().filter(other -> other.guestClass() != GuestClass.HOST
                    && host.pool(other).equals(host.pool(guest))).mapToDouble(other -> weight(inForce, other)).sum();
            double cpus = host.pools().size() < 2 ? host.cpus() : host.pool(guest).map(host::cpus).orElse(host.cpus());
            shares.put(guest.uuid(), 1000 * cpus * weight(inForce, guest) / together);
        }
        guests.forEach(guest -> misses.put(guest.uuid(), heard.get(guest.uuid()).complaint().counts()));
        guests.stream().filter(guest -> misses.get(guest.uuid())).forEach(guest ->
                missing.merge(host.pool(guest), guest.guestClass(), (one, other) -> one.compareTo(other) <= 0 ? one : other));
    }

    /** A weight that nobody here moves is not known, and taken for the normal one. */
    private static double weight(InForce inForce, Guest guest) {
        return inForce.of(KnobKind.WEIGHT, guest).map(InForce.Value::value).filter(value -> value > 0).orElse(256);
    }

    /** Whether a guest may be capped lower than it is. */
    boolean mayCap(Guest guest) {
        GuestClass best = missing.get(host.pool(guest));
        return best != null && guest.guestClass().compareTo(best) >= 0 && !misses.get(guest.uuid())
                && uses.get(guest.uuid()) > shares.get(guest.uuid());
    }

    /** The caps: of those that may not be capped none, or no lower one than they have. */
    List<KnobProposal> spared(List<AllocationTargets.Wish> wishes, List<KnobProposal> divided) {
        List<KnobProposal> spared = new ArrayList<>();
        for (KnobProposal proposal : divided) {
            AllocationTargets.Wish wish = wishes.stream().filter(one -> one.knob().equals(proposal.knob())).findFirst().orElseThrow();
            int share = (int) Math.min(wish.most(), Math.ceil(shares.get(wish.guest().uuid())));
            if (mayCap(wish.guest())) {
                spared.add(new KnobProposal(proposal.knob(), Math.max(proposal.value(), share), proposal.controller(), proposal.why()));
            } else if (wish.capped()) {
                int grown = (int) Math.floor(Math.max(wish.inForce(), wish.amount()) + 1e-6);
                spared.add(new KnobProposal(proposal.knob(), grown, proposal.controller(), wish.why()));
            }
        }
        return spared;
    }
}
