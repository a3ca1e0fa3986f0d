// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

/**
 * One stretch of time.
 *
 * @param round  from 1
 * @param tuning what is set at its begin
 * @param beside who is there
 */
public record Slot(int round, WebTierSetting tuning, NeighbourSlot beside) {
}
