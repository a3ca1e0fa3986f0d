// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.util.List;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding;
import org.ic2.knowledge.State;

/**
 * Whether users are harmed, as three samples confirmed it, and why.
 *
 * @param state     NI2 without harm, I2 with it, and the three between them
 * @param confirmed true from I2 until NI2
 * @param since     the time of the sample that confirmed it, or its end, ms since 1970, for people
 * @param changed   the same on the controller's clock, ms
 * @param heard     when a sample last told, ms on the controller's clock
 * @param suffered  when users were last seen to wait, ms on the controller's clock
 * @param felt      what users suffer, in words
 * @param finding   why; null before it is confirmed
 * @param turned    since when this is the cause, ms on the controller's clock
 * @param other     another cause that the last samples show, or null
 * @param seen      how many of them in a row
 * @param acted     the cause for which the tier is away from its baseline, or null
 * @param postponed the cause that was acted on when a neighbour was confirmed, until he is gone; or null
 * @param noWall    why the wall is not raised, perhaps no more, or null
 */
public record HarmMemory(State state, boolean confirmed, long since, long changed, long heard, long suffered, String felt, CauseFinding finding, long turned,
        Cause other, int seen, Cause acted, Cause postponed, Refusal noWall) {
    /** So many samples in a row make another cause the cause. */
    private static final int CAUSE_SAMPLES = 3;

    /** Nobody is harmed. */
    public static HarmMemory none() {
        return new HarmMemory(State.NI2, false, 0, 0, 0, 0, "", null, 0, null, 0, null, null, null);
    }

    /**
     * The same in another state.
     *
     * @param words what users suffer
     * @param wall  the sample's time, ms since 1970
     * @param now   ms on the controller's clock
     */
    public HarmMemory to(State next, String words, long wall, long now) {
        boolean sure = next == State.I2 || confirmed && next != State.NI2;
        return new HarmMemory(next, sure, sure == confirmed ? since : wall, sure == confirmed ? changed : now, now, suffered, words,
                sure ? finding : null, turned, sure ? other : null, sure ? seen : 0, acted, postponed, noWall);
    }

    /** The same after a sample that shows a cause: the first, a neighbour, who was confirmed, and what comes after him at once, another
     * one when three samples in a row show it. */
    public HarmMemory found(CauseFinding shown) {
        boolean same = finding != null && finding.cause() == shown.cause();
        int times = shown.cause() == other ? seen + 1 : 1;
        boolean taken = finding == null || same || finding.cause() == Cause.UNKNOWN
                || finding.cause() == Cause.NEIGHBOUR || shown.cause() == Cause.NEIGHBOUR || times >= CAUSE_SAMPLES;
        return new HarmMemory(state, confirmed, since, changed, heard, suffered, felt, taken ? shown : finding,
                taken && !same ? heard : turned, taken ? null : shown.cause(),
                taken ? 0 : times, acted, postponed, noWall);
    }

    /** The same after a sample in which users are seen to wait, or not. */
    public HarmMemory suffering(boolean seenToWait) {
        return !seenToWait ? this
                : new HarmMemory(state, confirmed, since, changed, heard, heard, felt, finding, turned, other, seen, acted, postponed,
                noWall);
    }

    /**
     * What is left where no sample has told anything for long: nobody is known to be harmed, from now on; when users were last seen
     * to wait stays true.
     *
     * @param now ms on the controller's clock
     */
    public HarmMemory forgotten(long now) {
        return new HarmMemory(State.NI2, false, 0, now, 0, suffered, "", null, 0, null, 0, acted, postponed, noWall);
    }

    /** The same, away from the baseline for a cause; null: not, or for another reason. */
    public HarmMemory acting(Cause cause) {
        return acts(cause, postponed, noWall);
    }

    /** The same where a neighbour is confirmed, who goes before. */
    public HarmMemory postponing() {
        return acted == null ? this : acts(null, acted, noWall);
    }

    /** The same where no neighbour is there any more: what was acted on before him is acted on again. */
    public HarmMemory resumed() {
        return postponed == null ? this : acts(postponed, null, noWall);
    }

    /** The same at the baseline: nothing is acted on. */
    public HarmMemory restored() {
        return acts(null, null, noWall);
    }

    /**
     * The same where the wall did not go up.
     *
     * @param tried true if it was tried; what was not even tried may be for a reason that is soon gone
     * @param now   ms on the controller's clock
     * @param brief ms, until what was not tried is tried again
     */
    public HarmMemory withoutWall(boolean tried, long now, long brief) {
        return acts(acted, postponed, !tried ? new Refusal("the wall was refused", now + brief, now)
                : Refusal.from(now, "the wall did not take effect", noWall));
    }

    /** Why the wall is not raised at that time, or null. */
    public Refusal noWallAt(long now) {
        return noWall == null || now >= noWall.until() ? null : noWall;
    }

    private HarmMemory acts(Cause cause, Cause later, Refusal wall) {
        return cause == acted && later == postponed && wall == noWall ? this
                : new HarmMemory(state, confirmed, since, changed, heard, suffered, felt, finding, turned, other, seen, cause, later, wall);
    }

    /** The cause of a confirmed harm; null if there is none. */
    public Cause cause() {
        return confirmed && finding != null ? finding.cause() : null;
    }

    /** What speaks for it. */
    public List<String> evidence() {
        return finding == null ? List.of() : finding.evidence();
    }
}
