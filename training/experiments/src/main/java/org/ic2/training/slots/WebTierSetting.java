// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.util.Map;
import java.util.OptionalInt;

/**
 * One setting of the web tier.
 *
 * @param label  its name in tables and plots
 * @param values words of {@code apachectl reconfigure}
 * @param php    children of php-fpm, by a reload; empty: as they are
 */
public record WebTierSetting(String label, Map<String, String> values, OptionalInt php) {
}
