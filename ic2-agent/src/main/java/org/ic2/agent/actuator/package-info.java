// SPDX-License-Identifier: Apache-2.0
/**
 * The tenant's actuators: one class for each way to set values in a running httpd or php-fpm and read them back, and the
 * registry that names them. They know hosts, levers and the sensors that read what is in force; neither bounds nor
 * decisions. Only the executor calls them.
 */
package org.ic2.agent.actuator;
