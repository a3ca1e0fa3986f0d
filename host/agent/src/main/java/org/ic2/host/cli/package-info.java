// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code ic2-host}.
 */
package org.ic2.host.cli;
