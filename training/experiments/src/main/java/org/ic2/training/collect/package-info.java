// SPDX-License-Identifier: Apache-2.0
/** Which runs are made, in which order, resumable, and how far that is. */
package org.ic2.training.collect;
