// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

/** From where a delay between two operations of a user counts. */
public enum CycleType {
    /** From the start of the previous operation. */
    CYCLETIME,
    /** From the end of the previous operation. */
    THINKTIME
}
