// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.ic2.host.model.GuestKnob;

/**
 * What a knob was before we first moved it.
 *
 * @param knob     of what, with the guest's number of then
 * @param original its value, in its unit
 * @param exact    the same in the backend's own words
 * @param ours     the values that may be in force because of us: the last two, and while something is under way all of it
 * @param foreign  true when somebody else has set it since: it is theirs until a person says {@code resume}
 */
public record SavedKnob(GuestKnob knob, int original, String exact, List<Integer> ours, boolean foreign) {
    public SavedKnob {
        ours = List.copyOf(ours);
    }

    /** True if it is of this very guest: under a number or a uuid that was given anew there is another one. */
    public boolean isOf(GuestKnob other) {
        return knob.equals(other) && knob.target().isStill(other.target());
    }

    /**
     * True if a value may be in force because of us.
     *
     * @param gradual true where a value may be on its way between two
     */
    public boolean mayBeOurs(int running, boolean gradual) {
        if (ours.contains(running) || ours.stream().anyMatch(from -> MemoryRestoreSteps.of(knob.kind(), from, original).contains(running))) {
            return true;
        }
        int lowest = ours.stream().mapToInt(Integer::intValue).reduce(original, Math::min);
        int highest = ours.stream().mapToInt(Integer::intValue).reduce(original, Math::max);
        return gradual && running >= lowest && running <= highest;
    }

    /** True if it may be what runs where nobody else has asked for anything. */
    boolean fits(int running, boolean gradual) {
        return running == original || mayBeOurs(running, gradual);
    }

    /** True if it was we who asked for this, or nobody has since we first moved it. */
    boolean isOrder(int value) {
        return fits(value, false);
    }

    /**
     * The same with what was last asked for, where that can be told: then this alone tells whose the value is.
     *
     * @param asked by whomever
     */
    boolean mayBeOurs(int running, OptionalInt asked, boolean gradual) {
        return asked.isPresent() ? isOrder(asked.getAsInt()) : mayBeOurs(running, gradual);
    }

    /** Where the restore from a value begins: so that each order on it is known for ours, also by who comes after us. */
    int restoreStart(int running) {
        return ours.stream().filter(value -> value >= running).min(Integer::compare).orElse(running);
    }

    /**
     * Before another order.
     *
     * @param asked what is asked for until then: if that is of us, or nobody of us has moved it yet, it may be so still
     */
    SavedKnob moving(int before, int value, OptionalInt asked) {
        List<Integer> values = new ArrayList<>(List.of(before, value));
        asked.stream().filter(one -> !values.contains(one) && (ours.isEmpty() || isOrder(one))).forEach(values::add);
        return withOurs(values);
    }

    /** How many orders the restore has at most. */
    int restoreOrders() {
        return ours.stream().mapToInt(from -> MemoryRestoreSteps.of(knob.kind(), from, original).size()).max().orElse(1);
    }

    /**
     * True if it is below the baseline wherever it is because of us; 0 is no limit, of memory and of a cap. Of memory that was asked for
     * before we came a guest may show one less.
     */
    boolean growsOnRestore() {
        return original == 0 || ours.stream().allMatch(value -> value > 0 && value - 1 <= original);
    }

    SavedKnob withOurs(List<Integer> values) {
        return new SavedKnob(knob, original, exact, values, foreign);
    }

    SavedKnob asForeign() {
        return new SavedKnob(knob, original, exact, ours, true);
    }
}
