// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.Locale;
import org.ic2.knowledge.Features;
import org.ic2.runtime.knob.Knob;

/**
 * What a row does to one knob.
 *
 * @param knob      what moves
 * @param direction where to
 * @param update    by how much
 */
public record Move(Knob knob, Direction direction, UpdateFunction update) {
    /** The new value in the knob's integer unit, before bounding; NaN if a number is missing. */
    public double target(int base, Features features) {
        double unit = knob.unitsPerColumn();
        double change = update.change(base / unit, features) * unit;
        boolean backwards = update instanceof UpdateFunction.Constant constant
                && (constant.value() * unit > base) != (direction == Direction.UP);
        if (backwards) {
            return base;
        }
        return direction == Direction.UP ? base + change : base - change;
    }

    /** For people: {@code max-request-workers down by base x (LPO - LPO_ni) / LPO}. */
    public String describe() {
        String link = update instanceof UpdateFunction.Constant ? " " : " by ";
        return knob.key() + " " + direction.name().toLowerCase(Locale.ROOT) + link + update.formula();
    }
}
