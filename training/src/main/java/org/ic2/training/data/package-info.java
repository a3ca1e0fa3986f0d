// SPDX-License-Identifier: GPL-3.0-or-later
/** Recorded runs: their files, the truth about them (labels), and the rows that training and evaluation see. */
package org.ic2.training.data;
