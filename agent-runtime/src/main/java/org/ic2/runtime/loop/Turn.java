// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.time.Instant;
import java.util.Optional;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.executor.Result;

/**
 * One turn of the loop.
 *
 * @param measurement      what was measured
 * @param verdict          what was decided
 * @param result           how the action went; empty when nothing was to be done
 * @param epoch            the configuration epoch after it
 * @param budget           what of the budgets of actions is used
 * @param decideNanos      time that the decision took
 * @param manualUntil      until when a person is in charge; empty when that is not said, or nobody is
 */
public record Turn<M, V>(M measurement, V verdict, Optional<Result> result, long epoch,
        BudgetUse budget, long decideNanos, Optional<Instant> manualUntil) {
}
