// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

/**
 * The rules' values did harm and are not used for a while.
 *
 * @param reason in words
 * @param until  ms on the controller's clock
 */
public record Refusal(String reason, long until) {
}
