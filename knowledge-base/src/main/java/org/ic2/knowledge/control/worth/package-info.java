// SPDX-License-Identifier: Apache-2.0
/**
 * What a time away from the baseline was worth to users, and what they paid for it. Depends on {@code learn}.
 */
package org.ic2.knowledge.control.worth;
