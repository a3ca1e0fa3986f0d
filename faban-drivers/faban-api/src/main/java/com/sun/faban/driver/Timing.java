// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

/** Who measures an operation's response time. */
public enum Timing {
    /** Faban's own transports. */
    AUTO,
    /** The driver, with {@link DriverContext#recordTime()}. */
    MANUAL
}
