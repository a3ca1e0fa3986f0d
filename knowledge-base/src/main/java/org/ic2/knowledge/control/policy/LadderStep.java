// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

/** How far along the ladder one action leads. */
public enum LadderStep {
    /** To the level that the demand asks for, and from there to the baseline, where that can be computed; else as {@link #ONE}. */
    COMPUTED,
    /** One level, however far it will have to go. */
    ONE
}
