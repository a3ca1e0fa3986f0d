// SPDX-License-Identifier: Apache-2.0
/** One parameter at a time, with and without interference, and which way the data say to turn it. */
package org.ic2.training.sweep;
