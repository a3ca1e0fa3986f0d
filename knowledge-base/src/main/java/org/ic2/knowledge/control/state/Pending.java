// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import org.ic2.runtime.knob.Settings;

/**
 * An action that no sample has shown in force yet.
 *
 * @param previous what ran before
 * @param since    when it was decided, ms on the controller's clock
 */
public record Pending(Settings previous, long since) {
}
