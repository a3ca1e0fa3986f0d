// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.ArrayList;
import java.util.List;

/** Makes a CSV smaller for shipping: a column without any value goes. */
final class Columns {
    private Columns() {
    }

    static List<String> withoutEmpty(List<String> lines) {
        boolean[] used = new boolean[lines.get(0).split(",", -1).length];
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1);
            for (int i = 0; i < cells.length; i++) {
                used[i] |= !cells[i].isEmpty();
            }
        }
        used[0] = true;
        List<String> kept = new ArrayList<>(lines.size());
        for (String line : lines) {
            StringBuilder text = new StringBuilder();
            String[] cells = line.split(",", -1);
            for (int i = 0; i < cells.length; i++) {
                if (used[i]) {
                    text.append(i == 0 ? "" : ",").append(cells[i]);
                }
            }
            kept.add(text.toString());
        }
        return kept;
    }
}
