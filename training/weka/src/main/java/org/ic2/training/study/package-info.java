// SPDX-License-Identifier: GPL-3.0-or-later
/** The training and its judgement as a whole: the three phases, what the trees say of held-out runs, the report. */
package org.ic2.training.study;
