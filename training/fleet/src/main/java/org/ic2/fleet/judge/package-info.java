// SPDX-License-Identifier: Apache-2.0
/** What a tree said of a fleet's rows, counted where the rows are, and the figures that follow. Uses {@code store}. */
package org.ic2.fleet.judge;
