// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

/**
 * One number that a simulation gave.
 *
 * @param scenario which one
 * @param seed     of its randomness
 * @param arm      what was done: the part of the experiment
 * @param measure  of what
 * @param value    in that unit
 * @param unit     for people
 */
public record Finding(String scenario, long seed, String arm, String measure, double value, String unit) {
}
