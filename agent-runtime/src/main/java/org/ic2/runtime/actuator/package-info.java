// SPDX-License-Identifier: Apache-2.0
/**
 * What an actuator is, and what every one needs: its plan in the configuration, a deadline, a check of what it would do;
 * and one for any server, through commands. Only the executor calls it.
 */
package org.ic2.runtime.actuator;
