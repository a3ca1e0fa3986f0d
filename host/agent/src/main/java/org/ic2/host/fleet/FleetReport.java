// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import java.util.ArrayList;
import java.util.List;
import org.ic2.host.control.FleetHost;
import org.ic2.host.model.Migration;

/**
 * What is known of a fleet, and what should move in it.
 *
 * @param own    the name of this host; empty if it is none of them
 * @param hosts  of which something is known, this one first
 * @param silent why of others nothing is
 * @param moves  that should be made; only those from this host are this agent's
 * @param held   why guests stay
 * @param done   who has moved by our command, in words
 * @param left   guests that are left alone, and why
 */
public record FleetReport(String own, List<FleetHost> hosts, List<String> silent, List<Migration> moves, List<String> held,
        List<String> done, List<String> left) {
    public FleetReport {
        hosts = List.copyOf(hosts);
        silent = List.copyOf(silent);
        moves = List.copyOf(moves);
        held = List.copyOf(held);
        done = List.copyOf(done);
        left = List.copyOf(left);
    }

    /** False where there is nowhere to go: nothing could be advised. */
    public boolean tells() {
        return hosts.size() > 1;
    }

    /** True if this agent is the one to make a move. */
    public boolean isOurs(Migration move) {
        return move.from().equals(own);
    }

    /** The same after what came of commands. */
    FleetReport after(List<String> moved, List<String> notMoved, List<String> alone) {
        List<String> all = new ArrayList<>(held);
        all.addAll(notMoved);
        return new FleetReport(own, hosts, silent, moves, all, moved, alone);
    }
}
