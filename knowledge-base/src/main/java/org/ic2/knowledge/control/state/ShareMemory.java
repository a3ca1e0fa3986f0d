// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.Medians;

/**
 * What is remembered of a server's share.
 *
 * @param capacity what interference has left of late, since the share moved last
 * @param moves    when the share was moved in the last hour, ms on the controller's clock, oldest first
 * @param held     the least share since the whole one was in force last, %; 0 if there was none: after a try that failed
 *                 it is taken up again
 * @param then     the part of the capacity that was left when it was cut last, 0..1; NaN if unknown
 * @param failed   when a move had no effect last, ms; -1 if none had
 */
public record ShareMemory(CapacityLeft capacity, List<Long> moves, int held, double then, long failed) {
    private static final long HOUR = 3_600_000;
    /** So long after a move that had no effect the ladder need not wait for another, ms. */
    private static final long RETRY_AFTER = 60_000;

    public ShareMemory {
        moves = List.copyOf(moves);
    }

    /** Nothing yet. */
    public static ShareMemory none() {
        return new ShareMemory(CapacityLeft.none(), List.of(), 0, Double.NaN, -1);
    }

    /** The same after a restart: what was seen before says nothing of now. */
    public ShareMemory restarted() {
        return new ShareMemory(CapacityLeft.none(), moves, held, then, -1);
    }

    /** The same with what interference leaves now. */
    public ShareMemory with(CapacityLeft left) {
        return new ShareMemory(left, moves, held, then, failed);
    }

    /**
     * The same after an action that had no effect; it counts if it moved the share.
     *
     * @param action  when it was decided
     * @param refused true if it was not even tried
     */
    public ShareMemory ineffective(long action, boolean refused, long now) {
        boolean own = !moves.isEmpty() && moves.get(moves.size() - 1) == action;
        return own ? new ShareMemory(capacity, refused ? moves.subList(0, moves.size() - 1) : moves, held, then, now) : this;
    }

    /** The same after a move that was decided. */
    public ShareMemory moved(int from, int to, Medians normal, long now) {
        List<Long> times = new ArrayList<>(moves);
        times.removeIf(time -> now - time >= HOUR);
        times.add(now);
        return new ShareMemory(CapacityLeft.none(), times, to < from ? to : held,
                to < from ? capacity.left(normal) : then, failed);
    }

    /** Milliseconds since the share was moved; very many if it was not in the last hour. */
    public long since(long now) {
        return moves.isEmpty() ? Long.MAX_VALUE : now - moves.get(moves.size() - 1);
    }

    /** How many moves there were in the last hour. */
    public int inLastHour(long now) {
        return (int) moves.stream().filter(time -> now - time < HOUR).count();
    }

    /** True if the share could not be moved a short while ago. */
    public boolean unmovable(long now) {
        return failed >= 0 && now - failed < RETRY_AFTER;
    }
}
