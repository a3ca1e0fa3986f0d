// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code ic2-host-lab}: the verbs of {@code ic2-host}, and those that simulate.
 */
package org.ic2.host.lab.cli;
