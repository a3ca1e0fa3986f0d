// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** MaxRequestWorkers, KeepAliveTimeout and the mitigation level of httpd-online; read back through mod_status. */
public final class HttpdOnlineActuator implements Actuator {

    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);
    /** What httpd takes: milliseconds, and the value of an online variable. */
    private static final int LONGEST_TIMEOUT = 3_600_000;
    private static final int LARGEST_VARIABLE = 65_535;

    private final OnlineHttpd httpd;
    private final String mitigationVariable;
    private final boolean wall;

    HttpdOnlineActuator(OnlineHttpd httpd, String mitigationVariable, boolean wall) {
        this.httpd = httpd;
        this.mitigationVariable = mitigationVariable;
        this.wall = wall;
    }

    @Override
    public String name() {
        return httpd.name();
    }

    @Override
    public Set<Knob> levers() {
        return levers(wall);
    }

    static Set<Knob> levers(boolean wall) {
        Set<Knob> levers = Knob.set(Set.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.MITIGATION));
        if (wall) {
            levers.add(Wall.FLAG);
        }
        return levers;
    }

    /** What httpd calls each knob. */
    private Map<Knob, RestoreRoute.Name> names() {
        Map<Knob, RestoreRoute.Name> names = new HashMap<>(Map.of(
                Lever.MAX_REQUEST_WORKERS, new RestoreRoute.Name("MaxRequestWorkers", "-", "MaxRequestWorkers"),
                Lever.KEEP_ALIVE_TIMEOUT, new RestoreRoute.Name("KeepAliveTimeout", "ms", "KeepAliveTimeoutMs"),
                Lever.MITIGATION, new RestoreRoute.Name(mitigationVariable, "-", RestoreRoute.VARIABLE)));
        if (wall) {
            names.put(Wall.FLAG, new RestoreRoute.Name(LevelFile.WALL, "-", RestoreRoute.VARIABLE));
        }
        return names;
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        ServerStatus status = httpd.status();
        Map<Knob, Integer> values = new HashMap<>();
        status.integer("MaxRequestWorkers").ifPresent(threads -> values.put(Lever.MAX_REQUEST_WORKERS, threads));
        status.integer("KeepAliveTimeoutMs").ifPresent(millis -> values.put(Lever.KEEP_ALIVE_TIMEOUT, millis));
        Integer level = status.variables().get(mitigationVariable);
        if (level != null) {
            values.put(Lever.MITIGATION, level);
        }
        Integer flag = wall ? status.variables().get(LevelFile.WALL) : null;
        if (flag != null) {
            values.put(Wall.FLAG, flag);
        }
        return Settings.of(values);
    }

    @Override
    public Bounds allowed() throws IOException, InterruptedException {
        ServerStatus status = httpd.status();
        Settings lowest = Settings.of(Lever.KEEP_ALIVE_TIMEOUT, 1).with(Lever.MITIGATION, 0);
        Settings highest = Settings.of(Lever.KEEP_ALIVE_TIMEOUT, LONGEST_TIMEOUT).with(Lever.MITIGATION, LARGEST_VARIABLE);
        if (wall) {
            lowest = lowest.with(Wall.FLAG, 0);
            highest = highest.with(Wall.FLAG, Wall.UP);
        }
        OptionalInt least = status.integer("MaxRequestWorkersLeast");
        OptionalInt most = status.integer("MaxRequestWorkersMost");
        if (least.isPresent() && most.isPresent()) {
            lowest = lowest.with(Lever.MAX_REQUEST_WORKERS, least.getAsInt());
            highest = highest.with(Lever.MAX_REQUEST_WORKERS, most.getAsInt());
        }
        Map<String, int[]> roots = httpd.helperBounds();
        for (Map.Entry<Knob, RestoreRoute.Name> name : names().entrySet()) {
            int[] root = roots.get(name.getValue().order());
            if (root == null && !roots.isEmpty() && name.getKey() == Wall.FLAG) {
                highest = highest.with(Wall.FLAG, 0);       // the helper refuses a name that it does not list
            }
            if (root != null) {
                Knob knob = name.getKey();
                lowest = lowest.with(knob, lowest.has(knob) ? Math.max(root[0], lowest.get(knob)) : root[0]);
                highest = highest.with(knob, highest.has(knob) ? Math.min(root[1], highest.get(knob)) : root[1]);
                if (lowest.get(knob) > highest.get(knob)) {
                    throw new IOException("the root helper's bounds for " + name.getValue().order() + ", " + root[0] + " to " + root[1]
                            + ", leave nothing of what httpd takes");
                }
            }
        }
        return new Bounds(lowest, highest);
    }

    /**
     * Lowers MaxRequestWorkers only as far as leaves a worker to others beside those that single requests or connections
     * hold: httpd would refuse the whole otherwise, and what else was asked for, the restore too, must not wait for them.
     *
     * @throws NotDoneException also when all was done but that, and says so
     */
    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        OptionalInt held = values.has(Lever.MAX_REQUEST_WORKERS) ? httpd.heldAbove(values.get(Lever.MAX_REQUEST_WORKERS))
                : OptionalInt.empty();
        Settings possible = held.isPresent() ? values.with(Lever.MAX_REQUEST_WORKERS, held.getAsInt() + 1) : values;
        Map<String, String> assignments = new LinkedHashMap<>();
        put(assignments, "MaxRequestWorkers", possible, Lever.MAX_REQUEST_WORKERS, "");
        put(assignments, "KeepAliveTimeout", possible, Lever.KEEP_ALIVE_TIMEOUT, "ms");
        put(assignments, mitigationVariable, possible, Lever.MITIGATION, "");
        put(assignments, LevelFile.WALL, possible, Wall.FLAG, "");
        httpd.reconfigure(assignments);
        if (held.isPresent()) {
            throw new NotDoneException("MaxRequestWorkers goes down to " + possible.get(Lever.MAX_REQUEST_WORKERS)
                    + " and not to " + values.get(Lever.MAX_REQUEST_WORKERS) + ", because long requests or idle connections hold "
                    + held.getAsInt() + " workers (HeldWorkers in mod_status) and nobody else would be served");
        }
    }

    private static void put(Map<String, String> assignments, String name, Settings values, Knob knob, String unit) {
        if (values.has(knob)) {
            assignments.put(name, values.get(knob) + unit);
        }
    }

    @Override
    public Optional<RestoreRoute> route() {
        return httpd.route(names());
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        httpd.checkMeans();
        if (wall && !httpd.status().fields().containsKey(ServerStatus.FLAG)) {
            throw new IOException("\"wall: true\", but the status page tells of no wall, so its flag does nothing: " + ServerStatus.NO_WALL);
        }
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }
}
