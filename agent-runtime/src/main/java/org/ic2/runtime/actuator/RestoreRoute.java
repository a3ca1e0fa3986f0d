// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.knob.Knob;

/**
 * How {@code ic2-baseline}, which needs no Java, restores the knobs of an actuator on this machine.
 *
 * @param kind   {@code helper}, {@code map} or {@code share}; the form of {@code baseline.plan} is described in ic2-baseline.c
 * @param places the words behind the kind: a socket or a file, and the status page
 * @param names  what the server calls each knob
 */
public record RestoreRoute(String kind, List<String> places, Map<Knob, Name> names) {

    /** The status page's line of a knob that is an online variable. */
    public static final String VARIABLE = "variable";

    /**
     * A server's name for a knob.
     *
     * @param order what an order says
     * @param unit  what follows the number in an order; {@code -}: nothing
     * @param shown the field of the status page, or {@link #VARIABLE}
     */
    public record Name(String order, String unit, String shown) {
        private static final Name NONE = new Name("-", "-", "-");
    }

    /** An order through the socket of ic2-reconfigure; empty where the program could not reach socket or page. */
    public static Optional<RestoreRoute> helper(Endpoint socket, URI page, Map<Knob, Name> names) {
        return socket instanceof Endpoint.Unix unix && isNear(page)
                ? Optional.of(new RestoreRoute("helper", List.of(unix.path(), page.toString()), names)) : Optional.empty();
    }

    /**
     * The ladder's level in a file; empty where the program could not reach the page.
     *
     * @param more further knobs in the same file: the name of its line, and the header of the page that says what runs
     */
    public static Optional<RestoreRoute> map(String file, URI page, Knob level, Map<Knob, Name> more) {
        Map<Knob, Name> names = new HashMap<>(more);
        names.put(level, Name.NONE);
        return isNear(page) ? Optional.of(new RestoreRoute("map", List.of(file, page.toString()), names)) : Optional.empty();
    }

    /** The share that ic2-share says by itself when the agent has gone; empty where the program could not reach its socket. */
    public static Optional<RestoreRoute> share(Endpoint socket, Knob share) {
        return socket instanceof Endpoint.Unix unix ? Optional.of(new RestoreRoute("share", List.of(unix.path()), Map.of(share, Name.NONE)))
                : Optional.empty();
    }

    /** True for a page that can be had without TLS and without asking for an address. */
    private static boolean isNear(URI page) {
        return "http".equals(page.getScheme()) && page.getHost().matches("localhost|\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]+]");
    }
}
