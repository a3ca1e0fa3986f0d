// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.Locale;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Lever;

/**
 * What a row does to one lever.
 *
 * @param lever     one of the paper's three
 * @param direction where to
 * @param update    by how much
 */
public record Move(Lever lever, Direction direction, UpdateFunction update) {
    public Move {
        if (!lever.ofPaper()) {
            throw new IllegalArgumentException("the ladder is not moved by rules; expected one of the paper's levers");
        }
    }

    /** The new value in the lever's integer unit, before bounding; NaN if a number is missing. */
    public double target(int base, Features features) {
        double unit = lever.unitsPerMetric();
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
        return lever.key() + " " + direction.name().toLowerCase(Locale.ROOT) + link + update.formula();
    }
}
