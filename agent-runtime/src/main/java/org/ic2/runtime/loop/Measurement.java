// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Set;
import org.ic2.runtime.knob.Knob;

/**
 * Everything that was measured in one interval.
 *
 * @param <M> its own type
 */
public interface Measurement<M extends Measurement<M>> {

    /** The same without the running values of some levers: missing, so that they are neither judged nor foreign. */
    M without(Set<Knob> levers);
}
