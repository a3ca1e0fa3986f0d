// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ic2.knowledge.Label;
import org.ic2.training.Generated;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Confusion;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.evaluate.HarmTest;
import org.junit.jupiter.api.Test;

/** What a training leaves, and what it says of itself. */
class ProductTest {
    /** What taught nothing is judged like all others, and the figures say how much of the misses it is. */
    @Test
    void aHarmlessOneIsJudgedWithItsOwnLabels() {
        List<Run> runs = List.of(Generated.run("harmful", 1, 2, 30, 0), Generated.run("again", 3, 2, 30, 0), HarmTest.harmless("other", 1.01));
        List<Run> marked = Harm.of(runs).marked(runs, 2);
        List<Row> rows = Rows.of(marked);
        Product product = Product.make(new Product.Order("x", marked, rows, Harm.teaching(marked, rows),
                Attributes.parse("response_time"), Trainer.Settings.of(Costs.parse("5:1:10")), 3, 1));
        Confusion all = product.validated().orElseThrow().confusion();
        assertThat(all.of(Label.INTERFERENCE)).isEqualTo(Rows.labelled(rows).stream()
                .filter(row -> row.truth().orElseThrow() == Label.INTERFERENCE).count());
        assertThat(all.recall(Label.INTERFERENCE)).isLessThan(1);
        assertThat(product.validatedWithoutHarmless().orElseThrow().confusion().recall(Label.INTERFERENCE)).isEqualTo(1);
        assertThat(product.model().provenance().get("figures")).contains("without harmless neighbours: miss rate 0.0 %");
    }
}
