// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.ic2.knowledge.Lever;

/**
 * One run on a cluster: no neighbour, then neighbours in the groups of some servers at the same time, then none again.
 *
 * @param id      its name, also that of its folder
 * @param site    how HAProxy chooses, and what the load is
 * @param levers  what the agents may move; {@link Levers#NONE}: there are none
 * @param noisy   at how many servers there is a neighbour, from the first one on
 * @param program the neighbour's command line
 * @param times   of its phases
 * @param shareBounds what shares agents may ask for
 * @param seed    of the load; the same seed gives the same load
 */
public record ClusterRun(String id, Site site, Levers levers, int noisy, String program, Times times, Shares shareBounds, long seed) {
    /** The agent's journal, in a server's folder. */
    public static final String JOURNAL = "journal.jsonl";
    /** A server's whole share, %. */
    public static final int WHOLE_SHARE = 100;
    /** The least one that an agent takes for its lower bound, %. */
    public static final int LEAST_SHARE = 5;

    /** What agents move: the share of the requests, the ladder, or the share first and then the ladder. */
    public enum Levers { NONE, SHARE, LADDER, BOTH }

    /**
     * The shares of the requests that agents may ask for.
     *
     * @param least    the least one, %
     * @param headroom how many times its usual requests a server can serve
     */
    public record Shares(int least, double headroom) {
        public Shares {
            if (least < LEAST_SHARE || least > WHOLE_SHARE) {
                throw new IllegalArgumentException("--least-share: expected " + LEAST_SHARE + " to " + WHOLE_SHARE + " %, got " + least);
            }
            if (!(headroom >= 1)) {
                throw new IllegalArgumentException("--share-headroom: expected 1 or more, got " + headroom);
            }
        }
    }

    /**
     * Balancer and load.
     *
     * @param balance   {@code roundrobin} or {@code leastconn}
     * @param sticky    whether a cookie keeps a visitor at a server
     * @param users     emulated users
     * @param rate      operations per second of an open loop; empty: a closed one
     * @param keepAlive whether users keep their connections
     */
    public record Site(String balance, boolean sticky, int users, OptionalDouble rate, boolean keepAlive) {
        /** The words of {@code ic2-load run} for it. */
        List<String> words() {
            List<String> words = new ArrayList<>(List.of("--users", Integer.toString(users), "--keep-alive", keepAlive ? "on" : "off"));
            rate.ifPresent(each -> words.addAll(List.of("--open", Double.toString(each))));
            return words;
        }
    }

    /**
     * The phases.
     *
     * @param before until the neighbours come
     * @param noisy while they run
     * @param after until the end
     */
    public record Times(Duration before, Duration noisy, Duration after) {
        Duration all() {
            return before.plus(noisy).plus(after);
        }

        /** The schedule in the words of the program neighbour. */
        String schedule(Duration lead) {
            return String.format(Locale.ROOT, "%dms off, %dms on, %dms off", before.plus(lead).toMillis(), noisy.toMillis(), after.toMillis());
        }
    }

    /** How an agent takes part. */
    Optional<AgentArm> agent(Optional<Path> classifier) {
        return levers == Levers.NONE ? Optional.empty() : Optional.of(new AgentArm(AgentArm.Role.ACTS, classifier,
                levers == Levers.SHARE ? List.of() : List.of(Lever.MITIGATION), AgentArm.ONLINE, Optional.empty()));
    }

    /** True if its agents move the share. */
    boolean shares() {
        return levers == Levers.SHARE || levers == Levers.BOTH;
    }
}
