// SPDX-License-Identifier: Apache-2.0
/**
 * The vocabulary of IC2: what is measured ({@link org.ic2.knowledge.Sample}), what is seen in it
 * ({@link org.ic2.knowledge.Features}, {@link org.ic2.knowledge.Label}), what can be set
 * ({@link org.ic2.knowledge.Lever}) and what was decided ({@link org.ic2.knowledge.Decision}).
 *
 * <p>The packages below build on it, in this order: {@code tree} (sample to label), {@code rules} (context to
 * directions and values), {@code control} (label to state to decision). Nothing here does I/O, reads a clock, draws
 * a random number or keeps static state.
 */
package org.ic2.knowledge;
