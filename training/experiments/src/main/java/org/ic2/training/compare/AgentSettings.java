// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the agents of all arms share.
 *
 * @param interval   time between two samples
 * @param target     response time below which they do nothing
 * @param coolDown   least time between two actions; their holds are multiples of it
 * @param response   where response time and throughput come from, one of {@link org.ic2.training.run.Setting#RESPONSES}
 * @param classifier the tree; empty: the shipped one
 * @param levels     the levels of the ladder that a mitigation goes through; empty: all of them
 */
public record AgentSettings(Duration interval, Duration target, Duration coolDown, String response,
        Optional<Path> classifier, List<Integer> levels) {
}
