// SPDX-License-Identifier: Apache-2.0
/**
 * What a cluster behind a load balancer gains by a share that servers ask for, and by the ladder, beside noisy neighbours at one, some
 * or all of its servers: {@code ic2-train compare --cluster}.
 */
package org.ic2.training.cluster;
