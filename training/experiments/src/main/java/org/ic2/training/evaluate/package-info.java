// SPDX-License-Identifier: Apache-2.0
/** How good a tree is: the paper's figures (sections 5.1.2, 5.1.3), with intervals of confidence over runs. */
package org.ic2.training.evaluate;
