// SPDX-License-Identifier: Apache-2.0
/**
 * The arithmetic of cool-down and action budget, once for all who count: decisions on the samples' clock, so that a
 * replay decides alike, and the executor on the monotonic clock, which nobody can set. No I/O, no clock of its own.
 */
package org.ic2.runtime.budget;
