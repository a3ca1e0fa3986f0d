// SPDX-License-Identifier: Apache-2.0
/**
 * The papers' experiments in the simulator: hosts built as theirs, run over several seeds, with results as records. Pure. What
 * comes out is a model's answer, and is called that wherever it is told.
 */
package org.ic2.host.lab.study;
