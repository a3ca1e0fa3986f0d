// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.knowledge.Attribute;

/**
 * Which attributes a tree may test: named sets, single names of {@link Attribute}, and sums of them
 * ({@code paper+run_delay}). Nothing here is visible to the neighbour's owner only.
 */
public final class Attributes {
    /** The paper's three: LPO, WorkDone and RT as measured. */
    public static final String PAPER = "paper";
    /** The same, divided by what is normal on the machine. */
    public static final String RELATIVE = "relative";
    /** {@link #RELATIVE} and the evidence that a mitigation does not change. */
    public static final String EXTENDED = "extended";

    private static final Map<String, List<String>> SETS = new LinkedHashMap<>(Map.of(
            PAPER, List.of("load_per_operation", "work_done", "response_time"),
            RELATIVE, List.of("load_per_operation_ratio", "work_done_ratio", "response_time_ratio"),
            EXTENDED, List.of("load_per_operation_ratio", "work_done_ratio", "response_time_ratio", "steal_excess",
                    "memory_latency_ratio", "memory_pressure", "io_pressure", "mitigation")));

    private Attributes() {
    }

    /** The names of the sets. */
    public static Set<String> sets() {
        return new LinkedHashSet<>(List.of(PAPER, RELATIVE, EXTENDED));
    }

    /**
     * The attributes of an expression such as {@code extended} or {@code paper+steal+mitigation}.
     *
     * @throws IllegalArgumentException naming the part that is unknown
     */
    public static List<Attribute> parse(String expression) {
        Set<Attribute> found = new LinkedHashSet<>();
        for (String part : Arrays.stream(expression.split("[+,]")).map(String::strip).toList()) {
            if (SETS.containsKey(part)) {
                SETS.get(part).forEach(name -> found.add(Attribute.parse(name)));
            } else {
                try {
                    found.add(Attribute.parse(part));
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("attributes: '" + part + "' is neither one of " + sets()
                            + " nor an attribute: " + e.getMessage(), e);
                }
            }
        }
        return new ArrayList<>(found);
    }
}
