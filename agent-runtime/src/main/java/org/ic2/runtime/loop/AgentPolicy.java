// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Map;
import org.ic2.runtime.executor.Limits;

/**
 * What an agent is there for and how far it may go, as its configuration says.
 *
 * @param application   the name of what it manages
 * @param mode          how far it goes
 * @param restoreOnExit whether the baseline is restored when it ends
 * @param limits        baseline, bounds and the levers that may move
 * @param movers        how each lever is moved, by its key: equal when the same server is reached in the same way
 */
public record AgentPolicy(String application, Mode mode, boolean restoreOnExit, Limits limits,
        Map<String, Object> movers) {

    public AgentPolicy {
        movers = Map.copyOf(movers);
    }

    /** True if it changes anything. */
    public boolean acts() {
        return mode == Mode.ACT;
    }
}
