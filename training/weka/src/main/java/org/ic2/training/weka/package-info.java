// SPDX-License-Identifier: GPL-3.0-or-later
/** The verbs of {@code ic2-train} that need Weka, added to those of the experiments when this module is on the class path. */
package org.ic2.training.weka;
