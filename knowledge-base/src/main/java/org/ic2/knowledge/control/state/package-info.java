// SPDX-License-Identifier: Apache-2.0
/**
 * What is remembered between two samples, in one value that is written as JSON. Depends on {@code learn} and
 * {@code policy}.
 */
package org.ic2.knowledge.control.state;
