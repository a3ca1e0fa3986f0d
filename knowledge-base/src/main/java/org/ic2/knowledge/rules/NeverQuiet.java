// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import org.ic2.knowledge.Rounded;

/** The line of {@code ic2.yaml} for a host on which what cannot be normal is what there is. Pure. */
public final class NeverQuiet {

    /** So much of what is usual is allowed, so that ordinary seconds are below the bound. */
    private static final double ROOM = 1.5;
    private static final double STEP = 0.05;

    private NeverQuiet() {
    }

    /**
     * The line.
     *
     * @param attribute of the condition in the rules, such as {@code steal}
     * @param usual     its value on this host, a share
     */
    public static String line(String attribute, double usual) {
        double value = Math.min(1, Math.ceil(ROOM * usual / STEP - 1e-9) * STEP);
        return "never-normal: {" + attribute + ": " + Rounded.of(value) + "}";
    }
}
