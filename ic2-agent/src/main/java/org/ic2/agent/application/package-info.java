// SPDX-License-Identifier: Apache-2.0
/**
 * What the stand-by cache must know of web applications ({@code applications.yaml}), and the lines of httpd's configuration that
 * say it. It knows neither the agent nor its configuration.
 */
package org.ic2.agent.application;
