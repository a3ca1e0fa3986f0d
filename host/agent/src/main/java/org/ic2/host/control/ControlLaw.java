// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How an allocation follows its use. */
public enum ControlLaw {
    /** Equations 1 and 2 of the joint controller's paper as they stand: up by a ninth at most, down by a fifth. */
    PAPER,
    /** Ours: up by two fifths where a guest lacks something, down by a twentieth at most and never below what it used lately. */
    ASYMMETRIC;

    /** The name in the configuration. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The law of a name. */
    public static Optional<ControlLaw> of(String key) {
        return Stream.of(values()).filter(law -> law.key().equals(key)).findFirst();
    }
}
