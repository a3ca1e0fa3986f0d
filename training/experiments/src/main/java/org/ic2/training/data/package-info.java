// SPDX-License-Identifier: Apache-2.0
/** Recorded runs: their files, the truth about them (labels), and the rows that training and evaluation see. */
package org.ic2.training.data;
