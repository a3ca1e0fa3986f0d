// SPDX-License-Identifier: Apache-2.0
/**
 * What an agent measures and what it sets, as an open vocabulary: {@link org.ic2.runtime.knob.Quantity},
 * {@link org.ic2.runtime.knob.Knob}, values of knobs ({@link org.ic2.runtime.knob.Settings}) and their limits
 * ({@link org.ic2.runtime.knob.Bounds}). No I/O, no clock.
 */
package org.ic2.runtime.knob;
