// SPDX-License-Identifier: Apache-2.0
/** Spark's decision tree: trained with costs, made small, in the agent's form, and held against it row by row. Uses {@code features}. */
package org.ic2.fleet.tree;
