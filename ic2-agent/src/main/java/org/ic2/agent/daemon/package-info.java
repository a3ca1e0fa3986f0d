// SPDX-License-Identifier: Apache-2.0
/**
 * The running agent from start to end: opens what the configuration names, hands over to a new one at SIGHUP, restores
 * at SIGTERM. It puts the others together and decides nothing itself; only {@code cli} may use it.
 */
package org.ic2.agent.daemon;
