// SPDX-License-Identifier: Apache-2.0
/**
 * What makes the runtime's loop the agent of a tenant: samples of a web tier, {@code Controller.decide} as its brain,
 * which decisions people hear of, recording and status.
 */
package org.ic2.agent.tenant;
