// SPDX-License-Identifier: Apache-2.0
/**
 * Once an interval: sample, decide, execute, publish. It depends on sensors, the pure decision and the executor; it
 * owns the order of these steps and what must survive a restart, and knows nothing of HTTP or the command line.
 */
package org.ic2.agent.loop;
