// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.List;

/** The pools of a host as a list of JSON, in recordings. */
public final class PoolJson {
    /** The member that has them: of a recording's head, and of a turn before which they have changed. */
    public static final String MEMBER = "pools";

    private PoolJson() {
    }

    /** Adds pools to a list. */
    public static void write(List<Pool> pools, ArrayNode list) {
        for (Pool pool : pools) {
            ArrayNode cpus = list.addObject().put("name", pool.name()).put("scheduler", pool.scheduler()).putArray("cpus");
            pool.cpus().forEach(cpus::add);
        }
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
            pools.add(new Pool(pool.get("name").textValue(), pool.get("scheduler").textValue(), cpus));
        }
        return List.copyOf(pools);
    }
}
