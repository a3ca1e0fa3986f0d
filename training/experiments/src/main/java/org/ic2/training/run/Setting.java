// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.util.List;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.runtime.knob.Settings;

/**
 * What all runs of an experiment share.
 *
 * @param baseline the interference-free optimum of the testbed
 * @param lowest   lower bounds for an acting agent
 * @param highest  upper bounds
 * @param interval the agent's
 * @param settling what counts as TRANSIENT after a start or stop
 * @param target   response time below which an acting agent does nothing
 * @param coolDown least time between two actions of an acting agent; its holds are multiples of it
 * @param response where response time and throughput come from, one of {@link #RESPONSES}
 * @param given    which of these an agent with the shipped configuration takes, too, as the command line says them
 * @param levels   the levels of the ladder that a mitigation goes through; empty: all of them
 */
public record Setting(Settings baseline, Settings lowest, Settings highest, Duration interval,
        Duration settling, Duration target, Duration coolDown, String response, List<Integer> levels, Given given) {
    /** Whether the command line says target and cool-down, or they are the experiments' usual ones. */
    public record Given(boolean target, boolean coolDown) {
        /** Neither. */
        public static final Given NOTHING = new Given(false, false);
    }

    private static final float BEST_WORKERS = 1100;
    private static final int BEST_USERS = 1500;
    private static final int MAX_KEEP_ALIVE_RATIO = 8;
    private static final int CHILDREN = 400;
    /** Whole operations, as the load has them. */
    public static final String FABAN_LOG = "faban-log";
    /** The pages among the requests, as httpd's log has them. */
    static final String ACCESS_LOG = "access-log";
    /** The sensors that response time and throughput may come from. */
    public static final List<String> RESPONSES = List.of("mod-status", FABAN_LOG, ACCESS_LOG);

    /**
     * The testbed's: MXC 240, KAT 1 s, PHP 60; the paper's times by a fifth. The least MXC lies above the users, so that
     * no user starves (docs/testbed.md).
     */
    public static Setting of(Duration interval, Duration settling, Duration target, Duration coolDown, String response) {
        return new Setting(Lever.settings(240, 1000, 60, 0), Lever.settings(120, 1000, 60, 0),
                Lever.settings(240, 4000, 60, Ladder.SHIPPED_LEVELS), interval, settling, target, coolDown, response, List.of(), Given.NOTHING);
    }

    /**
     * The bounds of the paper's three parameters on this tier. MaxRequestWorkers goes as far below the users as the paper's best value
     * beside a neighbour, 1100 for 1500 users (figure 2): users that starve then starve as published. KeepAliveTimeout is swept up to
     * eight times its baseline there, and PHP has 400 children (Algorithm 1).
     *
     * @param children of php-fpm at the baseline
     */
    public Setting published(int users, int children) {
        int workers = Math.max(1, Math.min(baseline.get(Lever.MAX_REQUEST_WORKERS), Math.round(users * BEST_WORKERS / BEST_USERS)));
        return new Setting(baseline.with(Lever.PHP_MAX_CHILDREN, children),
                lowest.with(Lever.MAX_REQUEST_WORKERS, workers).with(Lever.PHP_MAX_CHILDREN, children),
                highest.with(Lever.KEEP_ALIVE_TIMEOUT, MAX_KEEP_ALIVE_RATIO * baseline.get(Lever.KEEP_ALIVE_TIMEOUT)).with(Lever.PHP_MAX_CHILDREN, Math.max(children, CHILDREN))
                        .with(Lever.MITIGATION, 0), interval, settling, target, coolDown, response, levels, given);
    }

    /** The same with other levels. */
    public Setting withLevels(List<Integer> others) {
        return new Setting(baseline, lowest, highest, interval, settling, target, coolDown, response, List.copyOf(others), given);
    }

    /** The same with the values given on the command line. */
    public Setting withGiven(Given said) {
        return new Setting(baseline, lowest, highest, interval, settling, target, coolDown, response, levels, said);
    }
}
