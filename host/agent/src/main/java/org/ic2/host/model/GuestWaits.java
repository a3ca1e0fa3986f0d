// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.Arrays;
import java.util.stream.Collectors;

/** How the virtual CPUs of a guest wait for one another, as its provider or its tenant says. Nothing that is measured tells. */
public enum GuestWaits {
    /** Asking over and over, as most MPI programs do. */
    SPIN("spin"),
    /** Asleep, as servers do. */
    BLOCK("block"),
    /** Not at all: each computes by itself. */
    NONE("none");

    private final String key;

    GuestWaits(String key) {
        this.key = key;
    }

    /** The name in the configuration. */
    public String key() {
        return key;
    }

    /**
     * The one of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static GuestWaits of(String text) {
        return Arrays.stream(values()).filter(waits -> waits.key.equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("expected "
                        + Arrays.stream(values()).map(GuestWaits::key).collect(Collectors.joining(", ")) + ", got \"" + text + "\""));
    }
}
