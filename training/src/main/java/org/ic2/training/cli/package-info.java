// SPDX-License-Identifier: GPL-3.0-or-later
/** The command {@code ic2-train}. */
package org.ic2.training.cli;
