// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.List;
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
public record Saved(GuestKnob knob, int original, String exact, List<Integer> ours, boolean foreign) {
    public Saved {
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
        if (ours.contains(running) || ours.stream().anyMatch(from -> HomeSteps.of(knob.kind(), from, original).contains(running))) {
            return true;
        }
        int lowest = ours.stream().mapToInt(Integer::intValue).reduce(original, Math::min);
        int highest = ours.stream().mapToInt(Integer::intValue).reduce(original, Math::max);
        return gradual && running >= lowest && running <= highest;
    }

    /** How many orders the way home has at most. */
    int ordersHome() {
        return ours.stream().mapToInt(from -> HomeSteps.of(knob.kind(), from, original).size()).max().orElse(1);
    }

    /** True if it is below home wherever it is because of us; 0 is no limit, of memory and of a cap. */
    boolean growsHome() {
        return original == 0 || ours.stream().allMatch(value -> value > 0 && value <= original);
    }

    Saved withOurs(List<Integer> values) {
        return new Saved(knob, original, exact, values, foreign);
    }

    Saved asForeign() {
        return new Saved(knob, original, exact, ours, true);
    }
}
