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
    /** What is beside a harmless one is in none of the figures, and the provenance says what the tree made of it. */
    @Test
    void aHarmlessOneIsLeftOutAndReported() {
        List<Run> runs = List.of(Generated.run("harmful", 1, 2, 30, 0), Generated.run("again", 3, 2, 30, 0), HarmTest.harmless("other", 1.01));
        List<Run> labelled = Harm.of(runs).labelled(runs, 1.5);
        List<Row> rows = Rows.of(labelled);
        Product product = Product.make(new Product.Order("x", labelled, rows, Rows.labelled(rows),
                Attributes.parse("response_time"), Fitted.Settings.of(Costs.parse("5:1:10")), 3, 1));
        Confusion all = product.validated().orElseThrow().confusion();
        assertThat(all.of(Label.INTERFERENCE)).isEqualTo(2 * 40);
        assertThat(all.recall(Label.INTERFERENCE)).isEqualTo(1);
        assertThat(product.model().provenance().get("figures")).contains("miss rate 0.0 %")
                .endsWith("; harmless, left out: dcopy other-core, 60 s, 0 s of them labelled INTERFERENCE");
    }
}
