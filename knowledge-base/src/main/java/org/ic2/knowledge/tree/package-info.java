// SPDX-License-Identifier: Apache-2.0
/** From a sample to a label: the decision tree, its file {@code classifier.json} and its text form. Depends on the vocabulary alone. */
package org.ic2.knowledge.tree;
