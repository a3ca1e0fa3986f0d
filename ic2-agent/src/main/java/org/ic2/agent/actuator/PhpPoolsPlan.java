// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * The settings of {@code php-pools}, checked.
 *
 * @param servers what it changes
 * @param sizes   the pools' numbers of children, ascending
 */
record PhpPoolsPlan(YamlMap settings, Set<String> servers, Function<Host, OnlineHttpd> httpd, String variable, List<Integer> sizes)
        implements ActuatorPlan {

    private static final Lever LEVER = Lever.PHP_MAX_CHILDREN;

    @Override
    public Set<Knob> levers() {
        return Set.of(LEVER);
    }

    @Override
    public Actuator open(Host host) {
        return new PhpPoolsActuator(httpd.apply(host), variable, sizes);
    }

    /** The rules ask for the baseline and the bounds: without a pool of that size each such order would fail. */
    @Override
    public void fit(Settings baseline, Bounds bounds, Set<Knob> levers) throws ConfigException {
        if (levers.contains(LEVER)) {
            require(baseline.get(LEVER), "baseline");
            require(bounds.lowest().get(LEVER), "lowest bound");
            require(bounds.highest().get(LEVER), "highest bound");
        }
    }

    private void require(int size, String what) throws ConfigException {
        if (!sizes.contains(size)) {
            throw settings.error("sizes", "expected a pool of " + size + " children, the " + what + " of " + LEVER.key()
                    + ", got pools of " + sizes);
        }
    }
}
