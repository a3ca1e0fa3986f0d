// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.ic2.training.run.ClusterRun.Levers;

/** What is compared with what. */
public enum ClusterArm {
    /** Every server gets as much, whatever happens: what the others are compared with. */
    ROUND_ROBIN("rr", "static round robin", "roundrobin", Levers.NONE),
    /** The balancer's own remedy. */
    LEAST_CONNECTIONS("lc", "leastconn", "leastconn", Levers.NONE),
    /** Agents that ask for fewer requests. */
    SHARE("share", "round robin, the share only", "roundrobin", Levers.SHARE),
    /** Agents that make pages cheaper. */
    LADDER("ladder", "round robin, the ladder only", "roundrobin", Levers.LADDER),
    /** Agents that do the one first and then the other. */
    BOTH("both", "round robin, share first, ladder second", "roundrobin", Levers.BOTH),
    /** The same before the balancer's own remedy. */
    LEAST_BOTH("lc+both", "leastconn, share first, ladder second", "leastconn", Levers.BOTH);

    private final String letter;
    private final String title;
    private final String balance;
    private final Levers levers;

    ClusterArm(String letter, String title, String balance, Levers levers) {
        this.letter = letter;
        this.title = title;
        this.balance = balance;
        this.levers = levers;
    }

    /** All names, as the command line has them. */
    public static final String LETTERS = Arrays.stream(values()).map(ClusterArm::letter).collect(Collectors.joining(","));

    /** The arm of a name. */
    public static ClusterArm of(String letter) {
        return Arrays.stream(values()).filter(arm -> arm.letter.equals(letter.strip())).findFirst().orElseThrow(() ->
                new IllegalArgumentException("--arms: with --cluster expected some of " + LETTERS + ", got '" + letter.strip() + "'"));
    }

    /** Its name in files and on the command line. */
    public String letter() {
        return letter;
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
