// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.ic2.knowledge.Label;
import org.ic2.training.data.Row;

/**
 * What a tree said of a row.
 *
 * @param row   the row
 * @param label the tree's label; empty if a detector would not have judged the row
 */
public record Answer(Row row, Optional<Label> label) {
    /** The answers to all rows, in their order. */
    public static List<Answer> of(List<Row> rows, Function<Row, Label> tree) {
        List<Answer> answers = new ArrayList<>(rows.size());
        for (Row row : rows) {
            answers.add(new Answer(row, row.lack().isPresent() ? Optional.empty() : Optional.of(tree.apply(row))));
        }
        return answers;
    }

    /** True if the answer can be right or wrong. */
    public boolean counts() {
        return label.isPresent() && row.truth().isPresent();
    }
}
