// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

/** Where a row moves a knob, seen from the baseline. */
public enum Direction {
    /** Above the baseline. */
    UP,
    /** Below the baseline. */
    DOWN
}
