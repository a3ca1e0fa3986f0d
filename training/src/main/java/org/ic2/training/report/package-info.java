// SPDX-License-Identifier: GPL-3.0-or-later
/** Reports that need nothing but a browser: one HTML file with its pictures in it. */
package org.ic2.training.report;
