// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.List;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorContext;
import org.ic2.runtime.sensor.SensorPlan;

/** The settings of the sensor {@code haproxy}, checked. */
public record HaproxyPlan(HaproxySource source) implements SensorPlan {
    @Override
    public Sensor open(SensorContext context) {
        return new HaproxySensor(new HaproxyServers(context.host(), source), source);
    }

    @Override
    public List<Quantity> quantities() {
        return List.of(Sharing.PEERS, Sharing.LOAD, Sharing.WHOLE);
    }
}
