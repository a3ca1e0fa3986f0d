// SPDX-License-Identifier: Apache-2.0
/**
 * What is learned of a host before it is tuned (iTune, paper T): its regions of load, and by trial the scheduler's setting
 * for each. Pure: randomness is handed in, and the host, live or simulated, is a {@link org.ic2.host.learn.Trial}.
 */
package org.ic2.host.learn;
