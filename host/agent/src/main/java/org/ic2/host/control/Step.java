// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.List;
import org.ic2.host.model.KnobProposal;

/**
 * What came of a controller's step.
 *
 * @param state     what it remembers now
 * @param proposals the values that it wants now, those included that are in force already
 * @param held      why it wants nothing of what it could have moved
 * @param <S>       what it remembers
 */
public record Step<S>(S state, List<KnobProposal> proposals, List<String> held) {
    public Step {
        proposals = List.copyOf(proposals);
        held = List.copyOf(held);
    }
}
