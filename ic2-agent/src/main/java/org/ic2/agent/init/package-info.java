// SPDX-License-Identifier: Apache-2.0
/**
 * What {@code ic2 init} does: it reads what a machine runs (pure parsers of what httpd and php-fpm say), plans files and steps
 * from that (pure), and does and undoes them. It knows the applications, and neither the agent nor the command line.
 */
package org.ic2.agent.init;
