// SPDX-License-Identifier: Apache-2.0
/**
 * The paper's experiment (section 5): the same load and the same neighbour with IC² off and on, in turn, and what it
 * gained, in a report that can be checked. The data's way: {@code ComparePlan}, run folders, {@code Recording},
 * {@code InterferenceEpisode} and {@code InterferenceFree}, {@code Comparison}, files.
 */
package org.ic2.training.compare;
