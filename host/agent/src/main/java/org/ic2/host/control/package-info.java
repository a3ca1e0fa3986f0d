// SPDX-License-Identifier: Apache-2.0
/**
 * The controllers of the papers: pure functions of their state and of what was measured.
 */
package org.ic2.host.control;
