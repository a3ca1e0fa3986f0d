// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The pools of a host as a list of JSON, in recordings. */
public final class PoolJson {
    /** The member that has them: of a recording's head, and of a turn before which they have changed. */
    public static final String MEMBER = "pools";
    private static final String CORES = "cores";
    private static final String NODES = "nodes";

    private PoolJson() {
    }

    /** Adds pools to a list. */
    public static void write(List<Pool> pools, ArrayNode list) {
        for (Pool pool : pools) {
            ObjectNode one = list.addObject().put("name", pool.name()).put("scheduler", pool.scheduler());
            pool.cpus().forEach(one.putArray("cpus")::add);
            write(one, CORES, pool.topology().cores());
            write(one, NODES, pool.topology().nodes());
        }
    }

    private static void write(ObjectNode pool, String key, Map<Integer, Integer> of) {
        if (!of.isEmpty()) {
            ObjectNode all = pool.putObject(key);
            of.forEach((cpu, number) -> all.put(cpu.toString(), number));
        }
    }

    private static Map<Integer, Integer> read(JsonNode pool, String key) {
        Map<Integer, Integer> all = new HashMap<>();
        for (Map.Entry<String, JsonNode> one : pool.path(key).properties()) {
            if (!one.getKey().matches("\\d{1,5}") || !one.getValue().isInt() || one.getValue().asInt() < 0) {
                throw new IllegalArgumentException("expected " + key + " of CPUs, got " + pool.path(key));
            }
            all.put(Integer.valueOf(one.getKey()), one.getValue().asInt());
        }
        return all;
    }

    /**
     * The pools of a list.
     *
     * @throws IllegalArgumentException saying what is none
     */
    public static List<Pool> read(JsonNode list) {
        List<Pool> pools = new ArrayList<>();
        for (JsonNode pool : list) {
            if (!pool.path("name").isTextual() || !pool.path("scheduler").isTextual()) {
                throw new IllegalArgumentException("expected pools with name and scheduler, got " + pool);
            }
            List<Integer> cpus = new ArrayList<>();
            pool.path("cpus").forEach(cpu -> cpus.add(cpu.asInt()));
            pools.add(new Pool(pool.get("name").textValue(), pool.get("scheduler").textValue(), cpus,
                    new Topology(read(pool, CORES), read(pool, NODES))));
        }
        return List.copyOf(pools);
    }
}
