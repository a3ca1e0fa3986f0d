// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

/** How a guest is served (iTune, section 3.4), the best first. */
public enum GuestClass {
    /** The host's own domain (Dom0): its weight may move, it is never capped or ballooned. */
    HOST,
    /** Latency-sensitive: best. */
    LS1,
    /** Latency-sensitive: better. */
    LS2,
    /** Latency-sensitive: good. */
    LS3,
    /** Not latency-sensitive: best effort. */
    NLS;

    /** True for LS1 to LS3. */
    public boolean latencySensitive() {
        return this == LS1 || this == LS2 || this == LS3;
    }
}
