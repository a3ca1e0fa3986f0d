// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.OptionalInt;
import org.ic2.runtime.knob.Knob;

/**
 * The wall of mod_standby: 1 while it is up, and visitors without a pass get stored pages or wait for a second, once. None of the
 * {@link Lever}s, since most sites have none: an actuator brings it where the configuration says that there is one.
 */
public enum Wall implements Knob {
    FLAG;

    /** The value with which it is up. */
    public static final int UP = 1;

    @Override
    public String key() {
        return "wall";
    }

    @Override
    public String column() {
        return "wall";
    }

    @Override
    public String unit() {
        return "0 or 1";
    }

    @Override
    public OptionalInt most() {
        return OptionalInt.of(UP);
    }

    @Override
    public int parse(String text) {
        if (!text.matches("[01]")) {
            throw new IllegalArgumentException("expected 0 (down) or 1 (up), got \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }
}
