// SPDX-License-Identifier: Apache-2.0
/**
 * What is normal, what requests cost, and what a level leaves of their cost. Each value is immutable and is learned from
 * samples. Depends on {@code policy}.
 */
package org.ic2.knowledge.control.learn;
