// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.ic2.knowledge.Label;
import org.ic2.training.data.Row;

/**
 * Which rows each of the paper's three phases trains on (section 4): phase 1 what was recorded at the baseline; phase 2
 * half of that and half of what was recorded with the phase-1 tree acting; phase 3 what was recorded with the phase-2
 * tree acting.
 */
public final class Phases {
    private Phases() {
    }

    /** A half of the rows, drawn by chance from each label of each run, in their order. */
    public static List<Row> half(List<Row> rows, long seed) {
        Map<String, Map<Label, List<Row>>> groups = new LinkedHashMap<>();
        for (Row row : rows) {
            groups.computeIfAbsent(row.run(), run -> new EnumMap<>(Label.class))
                    .computeIfAbsent(row.truth().orElseThrow(), label -> new ArrayList<>()).add(row);
        }
        Random random = new Random(seed);
        List<Row> chosen = new ArrayList<>();
        groups.values().forEach(labels -> labels.values().forEach(group -> {
            List<Row> shuffled = new ArrayList<>(group);
            Collections.shuffle(shuffled, random);
            chosen.addAll(shuffled.subList(0, (shuffled.size() + 1) / 2));
        }));
        chosen.sort((a, b) -> a.sample().time().compareTo(b.sample().time()));
        return chosen;
    }

    /** The rows of phase 2. */
    public static List<Row> second(List<Row> phase1, List<Row> phase2, long seed) {
        List<Row> rows = new ArrayList<>(half(phase1, seed));
        rows.addAll(half(phase2, seed + 1));
        return rows;
    }
}
