// SPDX-License-Identifier: Apache-2.0
/**
 * From a context to directions and values: the rows of the paper's Table 3 and the functions of Algorithm 1.
 * Depends on the vocabulary alone.
 */
package org.ic2.knowledge.rules;
