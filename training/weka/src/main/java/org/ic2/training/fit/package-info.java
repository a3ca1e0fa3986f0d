// SPDX-License-Identifier: GPL-3.0-or-later
/** From rows to a tree: Weka's J48 in CostSensitiveClassifier, exported to the form that the agent reads. */
package org.ic2.training.fit;
