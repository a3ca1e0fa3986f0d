// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.function.ToDoubleFunction;
import org.ic2.knowledge.Attribute;
import weka.core.Instance;

/** Makes Weka's form of a row. */
@FunctionalInterface
public interface WekaRowsView {
    /** The row with these values, NaN for missing, without a class. */
    Instance instance(ToDoubleFunction<Attribute> values);
}
