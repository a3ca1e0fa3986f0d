// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.ic2.training.run.ClusterRun.Levers;

/** What is compared with what. */
public enum ClusterArm {
    /** Every server always gets the same share: the baseline of the comparison. */
    ROUND_ROBIN("roundrobin", "static round robin", "roundrobin", Levers.NONE),
    /** The balancer's own remedy. */
    LEAST_CONNECTIONS("leastconn", "leastconn", "leastconn", Levers.NONE),
    /** Agents that ask for fewer requests. */
    SHARE("share", "round robin, the share only", "roundrobin", Levers.SHARE),
    /** Agents that make pages cheaper. */
    LADDER("ladder", "round robin, the ladder only", "roundrobin", Levers.LADDER),
    /** Agents that do the one first and then the other. */
    BOTH("share+ladder", "round robin, share first, ladder second", "roundrobin", Levers.BOTH),
    /** The same before the balancer's own remedy. */
    LEAST_BOTH("leastconn+share+ladder", "leastconn, share first, ladder second", "leastconn", Levers.BOTH);

    private final String key;
    private final String title;
    private final String balance;
    private final Levers levers;

    ClusterArm(String key, String title, String balance, Levers levers) {
        this.key = key;
        this.title = title;
        this.balance = balance;
        this.levers = levers;
    }

    /** All names, as the command line has them. */
    public static final String NAMES = Arrays.stream(values()).map(ClusterArm::key).collect(Collectors.joining(","));

    /** The arm of a name. */
    public static ClusterArm of(String key) {
        return Arrays.stream(values()).filter(arm -> arm.key.equals(key.strip())).findFirst().orElseThrow(() ->
                new IllegalArgumentException("--arms: with --cluster expected some of " + NAMES + ", got '" + key.strip() + "'"));
    }

    /** Its name in files and on the command line. */
    public String key() {
        return key;
    }

    /** Its name for people. */
    public String title() {
        return title;
    }

    String balance() {
        return balance;
    }

    Levers levers() {
        return levers;
    }

    /** True if agents run. */
    boolean agents() {
        return levers != Levers.NONE;
    }
}
