// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.Optional;
import java.util.stream.Stream;

/** Xen's schedulers. */
public enum SchedulerKind {
    /** Credit1. */
    CREDIT("credit"),
    /** Credit2. */
    CREDIT2("credit2");

    private final String key;

    SchedulerKind(String key) {
        this.key = key;
    }

    /** Xen's name of it. */
    public String key() {
        return key;
    }

    /** The one of a name. */
    public static Optional<SchedulerKind> of(String key) {
        return Stream.of(values()).filter(kind -> kind.key.equals(key)).findFirst();
    }
}
