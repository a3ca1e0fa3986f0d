// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What an operation is assumed to cost at a value of a knob until that is learned: its CPU time as a share of that at
 * the baseline, beside the same neighbour.
 *
 * @param shares by knob and value, above 0 and at most 1
 */
public record AssumedEffects(Map<Knob, TreeMap<Integer, Double>> shares) {
    public AssumedEffects {
        TreeMap<Knob, TreeMap<Integer, Double>> copy = new TreeMap<>(Knob.ORDER);
        copy.putAll(shares);
        shares = Collections.unmodifiableMap(copy);
    }

    /** Nothing is assumed. */
    public static AssumedEffects none() {
        return new AssumedEffects(Map.of());
    }

    /**
     * The share at a level: that of the knob that has the smallest, as knobs that spare the same work do not add up. A
     * value between two of the file counts as the one that is nearer to the baseline.
     *
     * @param level    what it sets
     * @param baseline the same knobs at the baseline
     * @return NaN if nothing is assumed of any of its knobs
     */
    public double at(Settings level, Settings baseline) {
        double least = Double.NaN;
        for (Map.Entry<Knob, TreeMap<Integer, Double>> entry : shares.entrySet()) {
            Knob knob = entry.getKey();
            if (level.has(knob)) {
                double share = share(entry.getValue(), level.get(knob), baseline.get(knob));
                least = Double.isNaN(least) ? share : Math.min(least, share);
            }
        }
        return least;
    }

    private static double share(TreeMap<Integer, Double> known, int value, int base) {
        Map.Entry<Integer, Double> next = value > base ? known.floorEntry(value) : known.ceilingEntry(value);
        boolean between = next != null && (value > base ? next.getKey() > base : next.getKey() < base);
        return between ? next.getValue() : 1;
    }

    /** For people, one knob a line; empty if nothing is assumed. */
    public String toText() {
        return shares.entrySet().stream().map(knob -> knob.getKey().key() + ": " + knob.getValue().entrySet().stream()
                .map(share -> knob.getKey().format(share.getKey()) + " " + SamplesCsv.number(share.getValue()))
                .collect(Collectors.joining(", ")) + "\n").collect(Collectors.joining());
    }
}
