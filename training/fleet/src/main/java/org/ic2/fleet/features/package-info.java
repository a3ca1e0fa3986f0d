// SPDX-License-Identifier: Apache-2.0
/**
 * Samples become rows as each tenant's agent would have seen them: one pass, sorted by tenant and time, by the code that the
 * training on one machine uses. Uses {@code store}.
 */
package org.ic2.fleet.features;
