// SPDX-License-Identifier: Apache-2.0
/**
 * What other programs see: metrics, status, samples, events and the dashboard over HTTP on loopback, and the control
 * socket behind {@code ic2 status}. It reads what the loop publishes and hands orders over; it never calls a sensor or an
 * actuator.
 */
package org.ic2.agent.http;
