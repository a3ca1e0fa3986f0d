// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Decision;
import org.ic2.knowledge.control.state.ControllerState;

/**
 * What {@link Controller#decide} gives back.
 *
 * @param state    to be passed in with the next sample
 * @param decision what to do and why
 */
public record DecisionResult(ControllerState state, Decision decision) {
}
