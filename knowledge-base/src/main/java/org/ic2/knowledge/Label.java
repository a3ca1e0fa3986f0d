// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/** What a detector says of one sample (paper, section 4). */
public enum Label {
    /** The neighbours are quiet. */
    NO_INTERFERENCE,
    /** Something is changing; no action follows from it. */
    TRANSIENT,
    /** A neighbour takes cache, memory bandwidth or CPU away. */
    INTERFERENCE
}
