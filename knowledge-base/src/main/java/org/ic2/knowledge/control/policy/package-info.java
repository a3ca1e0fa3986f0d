// SPDX-License-Identifier: Apache-2.0
/**
 * What the administrator wants: baseline, bounds, ladder, detector, target, how often samples come; and what IC2 ships where
 * nothing is said. Depends on {@code tree} and {@code rules}.
 */
package org.ic2.knowledge.control.policy;
