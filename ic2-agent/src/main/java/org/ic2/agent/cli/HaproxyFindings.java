// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.ic2.agent.cli.Checkup.Finding;

/** What is found of this server at HAProxy, be it in its file or in its statistics. */
final class HaproxyFindings {

    private static final int COARSE = 20;
    private static final int WHOLE = 100;
    /** What goes by a server's weight as it is at the moment. */
    private static final Set<String> DYNAMIC = Set.of("roundrobin", "leastconn", "random");
    private static final Set<String> HASHING = Set.of("source", "uri", "url_param", "hdr", "rdp-cookie", "hash");

    private final String label;
    private final int least;
    private final List<Finding> all = new ArrayList<>();

    /**
     * @param label of the actuator that HAProxy asks
     * @param least the least share that it may be told, %
     */
    HaproxyFindings(String label, int least) {
        this.label = label;
        this.least = least;
    }

    List<Finding> all() {
        return all;
    }

    int count() {
        return all.size();
    }

    /** The share does not work without it. */
    void broken(String text) {
        all.add(new Finding(false, true, label, text));
    }

    /** The share works, and not as well as it could. */
    void missing(String text) {
        all.add(new Finding(false, false, label, text));
    }

    void fine(String text, boolean needed) {
        all.add(new Finding(true, needed, label, text));
    }

    void weight(String place, String given, int weight) {
        if (weight * least < WHOLE) {
            broken(place + given + "weight " + weight + ": of it the least share, " + least + " %, is none, so HAProxy would send it nothing; give all servers of the"
                    + " backend weight 100, or other weights in proportion");
        } else if (weight < COARSE) {
            missing(place + given + "weight " + weight + ": of it no share of some percent can be told; give all servers of the backend weight 100,"
                    + " or other weights in proportion");
        }
    }

    /**
     * @param most  the actuator's max-connections, 0 if it says nothing of them
     * @param limit HAProxy's, or none
     */
    void connections(String place, int most, String limit) {
        if (most > 0 && !limit.equals(Integer.toString(most))) {
            missing(place + "expected maxconn " + most + ", the actuator's max-connections, got " + limit);
        }
        if (most == 0 && !limit.equals("none")) {
            missing(place + "maxconn " + limit + " is not cut with the share; say max-connections: " + limit + " at the actuator");
        }
    }

    /** @param hash the backend's hash-type; unknown where it is not told */
    void balance(String place, String way, String hash) {
        if (HASHING.contains(way) && hash.equals("unknown")) {
            missing(place + "balance " + way + " heeds a share only with hash-type consistent; HAProxy's file says whether that is there");
        } else if (HASHING.contains(way) && !hash.equals("consistent")) {
            broken(place + "balance " + way + " goes by weights as they were at HAProxy's start; add hash-type consistent");
        } else if (!HASHING.contains(way) && !DYNAMIC.contains(way)) {
            broken(place + "balance " + way + " does not heed a weight that changes; expected roundrobin, leastconn or random");
        }
    }

    void unchecked(String place) {
        missing(place + "no check: HAProxy goes on sending requests to a server that is dead");
    }

    /** @param servers that are no spares */
    void others(String place, String backend, long servers) {
        if (servers < 2) {
            missing(place + "there is no other server in " + backend + " that could take what this one gives up");
        }
    }
}
