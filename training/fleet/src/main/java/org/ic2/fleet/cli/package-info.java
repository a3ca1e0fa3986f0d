// SPDX-License-Identifier: Apache-2.0
/** The command {@code ic2-fleet}, one class a verb. Uses all other packages of the fleet's training. */
package org.ic2.fleet.cli;
