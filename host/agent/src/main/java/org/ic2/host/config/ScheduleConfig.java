// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.ic2.host.model.KnobKind;

/**
 * The scheduler's settings by region of load (iTune).
 *
 * @param knobs   which of weight, tslice and ratelimit
 * @param library the regions with their settings, as {@code discover} and {@code optimize} write them
 * @param period  between two looks
 * @param confirm how many looks in a row must find the same region before its settings are proposed
 * @param knobsAt file, line and key of the knobs, for errors
 */
public record ScheduleConfig(Set<KnobKind> knobs, Path library, Duration period, int confirm, String knobsAt) {

    /** Its name as an owner of knobs. */
    public static final String NAME = "schedule";

    public ScheduleConfig {
        knobs = Set.copyOf(knobs);
    }
}
