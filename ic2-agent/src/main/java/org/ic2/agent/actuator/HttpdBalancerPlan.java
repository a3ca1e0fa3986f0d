// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.net.URI;
import java.util.Set;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.PageAccess;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * A share that a balancer-manager of httpd's is told.
 *
 * @param settings as written
 * @param url      of the balancer-manager
 * @param access   to it
 * @param balancer the name behind balancer://
 * @param worker   this server, as the balancer has it
 * @param whole    its load factor at the whole share
 */
record HttpdBalancerPlan(YamlMap settings, URI url, PageAccess access, String balancer, String worker, int whole) implements ActuatorPlan {

    @Override
    public Set<Knob> levers() {
        return Set.of(Share.KNOB);
    }

    @Override
    public Set<String> servers() {
        return Set.of("the share of " + worker + " at " + url);
    }

    /** Httpd takes no load factor below 1. */
    @Override
    public void fit(Settings baseline, Bounds bounds, Set<Knob> levers) throws ConfigException {
        int least = bounds.lowest().get(Share.KNOB);
        if (levers.contains(Share.KNOB) && whole * least < Share.WHOLE) {
            throw settings.error("load-factor", "expected " + (Share.WHOLE + least - 1) / least + " to " + HttpdBalancerActuator.MOST + ", the loadfactor of the"
                    + " worker's BalancerMember: httpd takes 1 to 100, and the least share is " + least + " % of it; got " + whole);
        }
    }

    @Override
    public Actuator open(Host host) {
        return new HttpdBalancerActuator(host, url, access, balancer, worker, whole);
    }
}
