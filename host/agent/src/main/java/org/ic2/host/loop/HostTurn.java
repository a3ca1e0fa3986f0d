// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.apply.Applier;
import org.ic2.host.fleet.FleetExchange;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.runtime.knob.Settings;

/**
 * One turn of the loop, as people and metrics see it.
 *
 * @param sample      what was measured
 * @param view        what else the controllers knew
 * @param decided     what they want
 * @param report      what came of it
 * @param inForce     what is in force after it, as far as known
 * @param givenUp     why knobs are left alone
 * @param actions     changes of the last hour
 * @param decideNanos time that the decisions took
 * @param seen        what is known of the guests' workloads, and of other hosts
 */
record HostTurn(HostSample sample, HostView view, ControllerScheduler.ControlResult decided, Applier.Report report, Settings inForce,
        Map<GuestKnob, String> givenUp, int actions, long decideNanos, FleetExchange.Seen seen) {

    /** Why things are not moved: the controllers' reasons, and ours. */
    List<String> held() {
        List<String> held = new java.util.ArrayList<>();
        decided.held().forEach((controller, reasons) -> reasons.forEach(reason -> held.add(controller + ": " + reason)));
        held.addAll(report.held());
        return held;
    }

    /** The value in force of a knob. */
    Optional<Integer> value(GuestKnob knob) {
        return inForce.has(knob) ? Optional.of(inForce.get(knob)) : Optional.empty();
    }
}
