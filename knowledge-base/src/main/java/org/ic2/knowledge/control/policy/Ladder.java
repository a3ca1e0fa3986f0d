// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.IntPredicate;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The steps of a mitigation, one after the other, each away from the baseline: a list of settings. Level 0 is the
 * baseline. A level keeps what the levels below it set and adds its own. Immutable.
 *
 * <p>Along the ladder each knob moves one way. So what runs can be compared with a level even where an actuator let a
 * knob rest: a knob has <em>reached</em> a level if it is as far from the baseline as the level has it, or farther.
 */
public final class Ladder {

    /** The levels of the ladder that IC2 ships, httpd-online/docs/mitigation.conf; an administrator's may have others. */
    public static final int SHIPPED_LEVELS = 6;

    /** So many are looked at one by one: ladders have a few, but a mitigation may be bounded in the millions. */
    public static final int MAX_LEVELS = 64;

    private final Settings baseline;
    private final Bounds bounds;
    private final Set<Knob> levers;
    private final Set<Knob> knobs;
    /** Of all {@link #knobs}; the first is level 0. */
    private final List<Settings> levels;
    /** The baseline of all other knobs. */
    private final Settings elsewhere;
    /** Those of the knobs that the ladder moves downwards. */
    private final Set<Knob> falling;

    private Ladder(Settings baseline, Bounds bounds, Set<? extends Knob> levers, Set<Knob> knobs,
            List<Settings> levels) {
        this.baseline = baseline;
        this.bounds = bounds;
        this.levers = Collections.unmodifiableSet(Knob.set(levers));
        this.knobs = Collections.unmodifiableSet(knobs);
        this.levels = levels;
        this.elsewhere = baseline.without(knobs);
        SortedSet<Knob> down = Knob.set(knobs);
        down.removeIf(knob -> levels.get(levels.size() - 1).get(knob) >= levels.get(0).get(knob));
        this.falling = Collections.unmodifiableSet(down);
    }

    /** A ladder without a level, to which {@link #plus} adds some. */
    public static Ladder empty(Settings baseline, Bounds bounds, Set<? extends Knob> levers) {
        return new Ladder(baseline, bounds, levers, Knob.set(Set.of()), List.of(Settings.none()));
    }

    /** The ladder of those who configure none: each level adds 1 to the mitigation, up to its bound. */
    public static Ladder ofMitigation(Settings baseline, Bounds bounds, Set<? extends Knob> levers) {
        if (!levers.contains(Lever.MITIGATION)) {
            return empty(baseline, bounds, levers);
        }
        Settings first = baseline.only(Set.of(Lever.MITIGATION));
        int least = baseline.get(Lever.MITIGATION);
        int most = bounds.highest().get(Lever.MITIGATION);
        // not a list of as many settings: a bound may be in the millions
        return new Ladder(baseline, bounds, levers, Knob.set(Set.of(Lever.MITIGATION)), new AbstractList<>() {
            @Override
            public Settings get(int level) {
                return first.with(Lever.MITIGATION, least + level);
            }

            @Override
            public int size() {
                return Math.max(0, most - least) + 1;
            }
        });
    }

    /**
     * Refuses a value that the next level cannot have.
     *
     * @throws IllegalArgumentException what was expected and what came, without the knob's key
     */
    public void check(Knob knob, int value) {
        if (!levers.contains(knob)) {
            throw new IllegalArgumentException("a level can move only what is among the levers; add " + knob.key()
                    + " to them, or leave it out of the ladder");
        }
        if (bounds.clamp(knob, value) != value) {
            throw new IllegalArgumentException("expected a value within the bounds "
                    + knob.format(bounds.lowest().get(knob)) + " to " + knob.format(bounds.highest().get(knob))
                    + ", got " + knob.format(value));
        }
        int base = baseline.get(knob);
        int below = top().has(knob) ? top().get(knob) : base;
        boolean back = below == base ? false : below > base ? value < below : value > below;
        if (back) {
            throw new IllegalArgumentException("a knob moves one way along the ladder, away from the baseline "
                    + knob.format(base) + "; the levels below have " + knob.format(below) + ", got "
                    + knob.format(value));
        }
    }

    /**
     * The same with one more level on top.
     *
     * @param level what it sets; every other knob keeps the value of the level below
     * @throws IllegalArgumentException if a value is refused by {@link #check} or the level moves nothing
     */
    public Ladder plus(Settings level) {
        level.values().forEach(this::check);
        Settings above = baseline.with(top()).with(level);
        if (above.equals(baseline.with(top()))) {
            throw new IllegalArgumentException("a level must move at least one knob; "
                    + (level.isEmpty() ? "it names none" : level.describe() + " is in force below it already"));
        }
        SortedSet<Knob> all = Knob.set(knobs);
        all.addAll(level.knobs());
        List<Settings> more = new ArrayList<>();
        levels.forEach(known -> more.add(baseline.only(all).with(known)));
        more.add(above.only(all));
        return new Ladder(baseline, bounds, levers, all, List.copyOf(more));
    }

    /** True if it starts at this baseline and moves none but these levers. */
    boolean isOf(Settings start, Set<Knob> movable) {
        return start.with(levels.get(0)).equals(start) && start.equals(baseline) && movable.containsAll(knobs);
    }

    /** What the highest level sets. */
    private Settings top() {
        return levels.get(highest());
    }

    /** The knobs that the ladder moves, in their order. */
    public Set<Knob> knobs() {
        return knobs;
    }

    /** The number of the highest level. */
    public int highest() {
        return levels.size() - 1;
    }

    /** The mitigation of the highest level; its number where no level moves the mitigation. */
    public int lastMitigation() {
        return knobs.contains(Lever.MITIGATION) ? top().get(Lever.MITIGATION) : highest();
    }

    /** What a level sets, of all {@link #knobs}; level 0 is the baseline. */
    public Settings level(int number) {
        return levels.get(number);
    }

    /** What a level changes, in words: its name in what is learned, which outlives another numbering. */
    public String change(int number) {
        return levels.get(0).changes(levels.get(number));
    }

    /** True if every knob that the ladder does not move has the baseline's value. */
    public boolean othersAtBaseline(Settings current) {
        for (Knob knob : elsewhere.knobs()) {
            if (!current.same(elsewhere, knob)) {
                return false;
            }
        }
        return true;
    }

    /** The same settings with the baseline's value for every knob that the ladder does not move. */
    public Settings withOthersAtBaseline(Settings current) {
        return current.with(elsewhere);
    }

    /** The highest level that every knob has reached; -1 if not even the baseline is reached. */
    public int reached(Settings current) {
        return last(number -> !isBeyond(levels.get(number), current));
    }

    /** The lowest level that is as far from the baseline as all of these; the highest if none is. */
    public int reaching(Settings wanted) {
        Set<Knob> asked = wanted.only(knobs).knobs();
        int tooLow = last(number -> asked.stream().anyMatch(knob -> beyond(knob, wanted.get(knob),
                levels.get(number).get(knob))));
        return Math.min(highest(), tooLow + 1);
    }

    /** The settings at a level; a knob that is farther from the baseline stays where it is. */
    public Settings up(Settings current, int number) {
        Settings result = current;
        for (Knob knob : knobs) {
            int value = levels.get(number).get(knob);
            result = beyond(knob, value, current.get(knob)) ? result.with(knob, value) : result;
        }
        return result;
    }

    /** One level down: the highest level that takes something back. Empty at the baseline. No knob moves away from it. */
    public Optional<Settings> down(Settings current) {
        int number = lower(current);
        if (number < 0) {
            return Optional.empty();
        }
        Settings result = current;
        for (Knob knob : knobs) {
            int value = levels.get(number).get(knob);
            result = beyond(knob, current.get(knob), value) ? result.with(knob, value) : result;
        }
        return Optional.of(result);
    }

    /** How many times {@link #down} leads from here to the baseline, at most. */
    public int stepsDown(Settings current) {
        return lower(current) + 1;
    }

    private int lower(Settings current) {
        return last(number -> isBeyond(current, levels.get(number)));
    }

    private boolean isBeyond(Settings some, Settings others) {
        for (Knob knob : knobs) {
            if (beyond(knob, some.get(knob), others.get(knob))) {
                return true;
            }
        }
        return false;
    }

    /** True if a value is farther from the baseline than another, in the direction in which the ladder leads. */
    private boolean beyond(Knob knob, int value, int other) {
        return falling.contains(knob) ? value < other : value > other;
    }

    /** The highest level of which the question holds, where it holds of every lower one, too; -1 if of none. */
    private int last(IntPredicate holds) {
        int low = -1;
        int high = highest();
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            if (holds.test(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** The levels as text, one a line, for {@code ic2 explain}. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        for (int number = 1; number <= highest(); number++) {
            text.append("level ").append(number).append(": ").append(levels.get(number).describe()).append('\n');
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ladder that && baseline.equals(that.baseline) && knobs.equals(that.knobs)
                && levels.equals(that.levels);
    }

    @Override
    public int hashCode() {
        return baseline.hashCode() * 31 + highest();
    }

    @Override
    public String toString() {
        return "Ladder[" + highest() + " levels of " + knobs.stream().map(Knob::key).toList() + "]";
    }
}
