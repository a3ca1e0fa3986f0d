// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;

/**
 * Decides on the values of some knobs. Pure: time, randomness and memory come as arguments, so that a recording decided
 * again decides the same.
 *
 * @param <S> what it remembers from one step to the next; a value
 */
public interface HostController<S> {

    /** Its name in configuration, journal and messages. */
    String name();

    /** How often it is asked. */
    Duration period();

    /** What it reads; dear metrics are measured only if somebody wants them. */
    Set<GuestMetric> wanted();

    /** What it remembers at first. */
    S begin();

    /** One step. The window holds the samples since the step before; without its inputs a controller holds, and says so. */
    Step<S> step(S state, HostWindow window, HostView host);

    /** What it does, with the numbers of this host's configuration: lines for people. */
    List<String> explain();
}
