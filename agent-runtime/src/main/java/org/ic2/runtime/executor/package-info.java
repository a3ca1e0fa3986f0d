// SPDX-License-Identifier: Apache-2.0
/**
 * The only way to the actuators: bounds, cool-down, budget, journal before the act, read-back and roll-back. It depends
 * on actuators and levers, not on who decided or why.
 */
package org.ic2.runtime.executor;
