// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * {@code pm.max_children} without a reload: several static pools of one php-fpm master, of which httpd chooses one by
 * an online variable that holds the pool's size ({@code <If "reqenv('PHPPOOL') == '400'">}). There should be a pool for
 * the baseline and for each bound, since these are what the rules ask for; any other number is refused.
 */
public final class PhpPoolsActuator implements Actuator {

    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);

    private final OnlineHttpd httpd;
    private final String variable;
    private final List<Integer> sizes;

    /**
     * @param sizes the pools' numbers of children, ascending
     */
    PhpPoolsActuator(OnlineHttpd httpd, String variable, List<Integer> sizes) {
        this.httpd = httpd;
        this.variable = variable;
        this.sizes = List.copyOf(sizes);
    }

    @Override
    public String name() {
        return "php-pools (" + variable + " of " + httpd.name() + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Lever.PHP_MAX_CHILDREN);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        Integer size = httpd.status().variables().get(variable);
        if (size == null) {
            throw new IOException("httpd has no online variable " + variable + ": add \"ReconfigureVariable " + variable
                    + " " + sizes.get(0) + "\" to its configuration");
        }
        if (size < Lever.PHP_MAX_CHILDREN.least()) {
            throw noPool(size);
        }
        return Settings.of(Lever.PHP_MAX_CHILDREN, size);
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        int wanted = values.get(Lever.PHP_MAX_CHILDREN);
        if (!sizes.contains(wanted)) {
            throw new NotDoneException("no pool of " + wanted + " children; there are pools of " + sizes);
        }
        httpd.reconfigure(Map.of(variable, Integer.toString(wanted)));
    }

    @Override
    public Optional<RestoreRoute> route() {
        return httpd.route(Map.of(Lever.PHP_MAX_CHILDREN, new RestoreRoute.Name(variable, "-", RestoreRoute.VARIABLE)));
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        httpd.checkMeans();
        int size = running().get(Lever.PHP_MAX_CHILDREN);
        if (!sizes.contains(size)) {
            throw noPool(size);
        }
    }

    private IOException noPool(int size) {
        return new IOException(variable + " is " + size + ", and there are pools of " + sizes);
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }
}
