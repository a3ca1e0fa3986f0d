// SPDX-License-Identifier: Apache-2.0
/** The command {@code ic2-train}. */
package org.ic2.training.cli;
