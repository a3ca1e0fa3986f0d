// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Makes a CSV smaller for shipping: a column without any value goes. */
final class Columns {
    private Columns() {
    }

    static List<String> withoutEmpty(List<String> lines) {
        boolean[] used = new boolean[Csv.cells(lines.get(0)).size()];
        for (String line : lines.subList(1, lines.size())) {
            List<String> cells = Csv.cells(line);
            for (int i = 0; i < cells.size(); i++) {
                used[i] |= !cells.get(i).isEmpty();
            }
        }
        used[0] = true;
        List<String> kept = new ArrayList<>(lines.size());
        for (String line : lines) {
            List<String> cells = Csv.cells(line);
            kept.add(Csv.line(IntStream.range(0, cells.size()).filter(i -> used[i]).mapToObj(cells::get).toList()));
        }
        return kept;
    }
}
