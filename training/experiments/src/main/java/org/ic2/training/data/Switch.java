// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.time.Instant;

/**
 * The moment in which an emulated neighbour was started or stopped (paper, section 5).
 *
 * @param time      when, to the millisecond
 * @param on        true: interference begins; false: it ends
 * @param program   the neighbour's command line, {@code llcprobe --size 32MiB}
 * @param placement {@code same-core} or {@code other-core}
 */
public record Switch(Instant time, boolean on, String program, String placement) {
}
