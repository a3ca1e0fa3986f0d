// SPDX-License-Identifier: Apache-2.0
/**
 * Labels for a fleet's samples: from what is known (ranges, logs of neighbours), and without ground truth from the agreement of
 * tenants on one host. Depends on {@code store} alone among the packages of the fleet's training.
 */
package org.ic2.fleet.label;
