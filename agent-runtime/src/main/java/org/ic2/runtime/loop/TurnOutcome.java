// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.time.Instant;
import java.util.Optional;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.executor.Result;

/**
 * What came of a turn.
 *
 * @param result      how the action went; empty when nothing was to be done
 * @param epoch       the configuration epoch after it
 * @param budget      what of the budgets of actions is used
 * @param manualUntil until when manual mode lasts; empty when that is not said, or it is off
 */
public record TurnOutcome(Optional<Result> result, long epoch, BudgetUse budget, Optional<Instant> manualUntil) {
}
