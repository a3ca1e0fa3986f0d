// SPDX-License-Identifier: GPL-3.0-or-later
/** The experiments: which runs are made, in which order, and what becomes of them. */
package org.ic2.training.experiment;
