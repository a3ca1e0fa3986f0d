// SPDX-License-Identifier: Apache-2.0
/**
 * What changes the middleware: one class for each way to set values in a running server, read them back and undo them.
 * It knows hosts, levers and the sensors that read what is in force; neither bounds nor decisions. Only the executor
 * calls it.
 */
package org.ic2.agent.actuator;
