// SPDX-License-Identifier: Apache-2.0
/**
 * From a label to a decision: {@link org.ic2.knowledge.control.Controller#decide} is the whole of it, a pure function of
 * state, sample and policy, and a pipe of stages, none of which changes a value. The stages are below: {@code policy},
 * {@code learn}, {@code state}, {@code detect}, {@code plan}, each of which depends on those before it. It stands on
 * {@code tree} and {@code rules}; nothing in this module depends on it.
 */
package org.ic2.knowledge.control;
