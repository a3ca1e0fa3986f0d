// SPDX-License-Identifier: Apache-2.0
/**
 * What other programs see: metrics, status, samples, events and the dashboard over HTTP on loopback. It reads what the
 * loop publishes and hands on what people ask for; it never calls a sensor or an actuator.
 */
package org.ic2.agent.http;
