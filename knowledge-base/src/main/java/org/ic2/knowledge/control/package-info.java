// SPDX-License-Identifier: Apache-2.0
/**
 * From a label to a decision: the state machines, what is learned, what is believed, and what to do about it.
 * {@link org.ic2.knowledge.control.Controller#decide} is the whole of it: a pure function of state, sample and policy,
 * and a pipe of stages, none of which changes a value. It stands on {@code tree} and {@code rules}; nothing in this
 * module depends on it.
 */
package org.ic2.knowledge.control;
