// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Set;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Everything that was measured in one interval.
 *
 * @param <M> its own type
 */
public interface Measurement<M extends Measurement<M>> {

    /** The running values that were seen, and those of {@code otherwise} where none was. */
    Settings running(Settings otherwise);

    /** The same without the running values of some levers: missing, so that they are neither judged nor foreign. */
    M without(Set<Knob> levers);
}
