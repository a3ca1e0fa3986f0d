// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.NotDoneException;

/**
 * A host. A backend only asks and reads back: snapshot, ownership, rates, floors and journal are the applier's. What it
 * does not understand is an {@link IOException} that quotes it, never a guess.
 */
public interface Backend extends AutoCloseable {

    /** What it can move and measure, and at what price. Changes nothing. */
    Capabilities capabilities() throws IOException, InterruptedException;

    /** The guests that run. Class, bounds and targets are the configuration's to add. */
    List<Guest> guests() throws IOException, InterruptedException;

    /** Who ran at the last look and cannot be a guest, with why: nothing of theirs is ever moved. Asks nobody. */
    default Map<String, String> refused() {
        return Map.of();
    }

    /** The pools of physical CPUs; one where there are no pools. */
    List<Pool> pools() throws IOException, InterruptedException;

    /** True if this pool, of which a knob was moved, still has knobs. */
    default boolean has(Target.OfPool pool) throws IOException, InterruptedException {
        return pools().stream().anyMatch(one -> one.name().equals(pool.name()));
    }

    /** In which pool each guest lives, by the guest's id; empty where that is not known. */
    default Map<String, String> membership() throws IOException, InterruptedException {
        List<Pool> pools = pools();
        Map<String, String> all = new HashMap<>();
        if (pools.size() == 1) {
            guests().forEach(guest -> all.put(guest.id(), pools.get(0).name()));
        }
        return all;
    }

    /** Memory of the whole host, bytes. */
    long memory() throws IOException, InterruptedException;

    /**
     * Measures since the last call; the first one has no rates yet.
     *
     * @param wanted dear metrics are measured only if they are among these
     */
    HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException, InterruptedException;

    /** False where this guest has no such knob, though others may: only machines have virtual CPUs that can be pinned. Asks nobody. */
    default boolean has(GuestKnob knob) {
        return true;
    }

    /** What {@link #read} finds out by looking on for a while, and not since the last call: it needs no call before. */
    default Set<GuestMetric> lookedOn() {
        return Set.of();
    }

    /** The value in force, in the knob's unit. */
    int get(GuestKnob knob) throws IOException, InterruptedException;

    /**
     * Asks for a value; it may take up to {@link #settleTime} to be in force.
     *
     * @throws NotDoneException when it was not done and is not still to be done
     * @throws IOException      when that cannot be told
     */
    void set(GuestKnob knob, int value) throws IOException, InterruptedException;

    /**
     * What is in force exactly, in the backend's own words on one line, so that {@link #putBack} loses nothing: a quota and
     * its period, for example.
     */
    default String exact(GuestKnob knob) throws IOException, InterruptedException {
        return Integer.toString(get(knob));
    }

    /** Asks, as {@link #set} does, for exactly what {@link #exact} said; {@link #get} says then what it said then. */
    default void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        try {
            set(knob, Integer.parseInt(exact));
        } catch (NumberFormatException e) {
            throw new NotDoneException(knob.label() + ": expected a number to put back, got \"" + exact + "\"", e);
        }
    }

    /** What one order can move together has the same company; asks nobody. */
    default Object company(GuestKnob knob) {
        return knob;
    }

    /**
     * Asks, in one order, for several knobs of one {@link #company}; all of it is done, or nothing.
     *
     * @param exact each as {@link #putBack} takes it, or a value
     */
    default void setTogether(Map<GuestKnob, String> exact) throws IOException, InterruptedException {
        throw new NotDoneException("no order moves together " + exact.keySet());
    }

    /**
     * Why values that lead away from the baseline should not be asked for although the host would take them, by knob; the others may,
     * as long as these are left out. Nobody asks on a restore.
     *
     * @param wanted what is about to be asked for together: what counts is how it all will be then
     */
    default Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws IOException, InterruptedException {
        return Map.of();
    }

    /**
     * Memory without which a guest cannot live as it runs now, bytes; empty where that cannot be told. What it can do without,
     * such as its page cache, is not part of it.
     */
    default OptionalLong indispensable(Target.OfGuest guest) throws IOException, InterruptedException {
        return OptionalLong.empty();
    }

    /**
     * What was last asked for, by whomever, in the knob's unit; empty where that cannot be told, so that what is in force must do.
     *
     * @param age what was told so long ago serves; an order of ours since then is known anyway
     */
    default OptionalInt asked(GuestKnob knob, Duration age) throws IOException, InterruptedException {
        return OptionalInt.empty();
    }

    /**
     * True if a guest that runs may go on with the knobs of an earlier run of it, as a machine does that was saved and restored with all
     * that was set of it. Asks nobody.
     */
    default boolean continues(Target.OfGuest now, Target.OfGuest earlier) {
        return false;
    }

    /** Why a guest that does not run will go on with the knobs that it had; empty if it has gone, or will start with its own. */
    default Optional<String> asleep(Target.OfGuest earlier) throws IOException, InterruptedException {
        return Optional.empty();
    }

    /**
     * A guest has ended of which a knob was away from its baseline: takes away what would be given to its next run.
     *
     * @param exact as {@link #exact} said it before the knob was moved
     */
    default void ended(GuestKnob knob, String exact) throws IOException, InterruptedException {
        // a run begins with its own
    }

    /** Takes away what was made for orders, and serves nobody any more: the restore has ended. */
    default void tidy() throws InterruptedException {
        // nothing was made
    }

    /** How long after {@link #set} a value is in force at the latest. */
    Duration settleTime(KnobKind kind);

    /** True if {@link #get} may show values on the way from one to the other: a balloon's. */
    default boolean gradual(KnobKind kind) {
        return false;
    }

    @Override
    void close() throws IOException;
}
