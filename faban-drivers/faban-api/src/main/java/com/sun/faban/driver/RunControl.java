// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

/** How the length of a run is given. */
public enum RunControl {
    /** In seconds. */
    TIME,
    /** In cycles of each user. */
    CYCLES
}
