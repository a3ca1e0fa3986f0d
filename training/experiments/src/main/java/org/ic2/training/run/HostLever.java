// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the host's agent of a run moves, of tier and neighbour, who share a CPU. */
public enum HostLever {
    /** The most CPU time of each, turn by turn, by joint control. */
    CAPS("caps", "moves the caps of tier and neighbour by joint control"),
    /** The share of each against the other: iTune's Table 3 for the classes LS1 and NLS, at any load. */
    WEIGHTS("weights", "gives tier and neighbour the weights of their classes"),
    /** Where the neighbour runs: not on the tier's CPU, as workload-aware placement gives the tier a core of its own. */
    PINS("pins", "keeps the neighbour off the tier's CPU by workload-aware placement");

    /** Table 3, by class. */
    private static final Map<String, Integer> TABLE_3 = Map.of("LS1", 43_008, "NLS", 256);
    private static final List<String> FEATURES = List.of("cpu_percent", "vcpu_ratio", "vm_count", "net_mbit");
    /** Any load is within this of no load. */
    private static final double UNBOUNDED = 1e12;

    private final String key;
    private final String does;

    HostLever(String key, String does) {
        this.key = key;
        this.does = does;
    }

    /** Its name in tables. */
    public String key() {
        return key;
    }

    /** What ic2-host does by it. */
    String does() {
        return does;
    }

    /** CPUs that the host keeps back: for caps all but the one that both share. */
    int reserve(int cpus) {
        return this == CAPS ? cpus - 1 : 0;
    }

    /** What the host's file says of its controllers. */
    Map<String, Object> controllers(List<String> guests, String library) {
        return switch (this) {
            case CAPS -> Map.of("joint", YamlValues.map("guests", guests, "knobs", List.of("cap")));
            case WEIGHTS -> Map.of("schedule", YamlValues.map("knobs", List.of("weight"), "library", library, "period", "3s", "confirm", 1));
            case PINS -> Map.of("placement", YamlValues.map("realise", "affinity", "intensity", Map.of("type", "declared"), "period", "3s"));
        };
    }

    /** A library of one region, which holds every load. */
    static Map<String, Object> library() {
        Map<String, Object> settings = YamlValues.map("weights", TABLE_3, "base_cost", 1, "cost", 1, "held_out_gain", 0,
                "provenance", "iTune, Table 3");
        return YamlValues.map("format", 1, "scaling", YamlValues.map("kind", "none", "mean", features(0), "spread", features(1)), "silhouette", 0,
                "regions", List.of(YamlValues.map("centre", features(0), "radius", UNBOUNDED, "points", 1, "settings", settings)));
    }

    private static Map<String, Object> features(int value) {
        Map<String, Object> features = new LinkedHashMap<>();
        FEATURES.forEach(name -> features.put(name, value));
        return features;
    }
}
