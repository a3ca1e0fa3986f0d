// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ic2.training.compare.Stored.Behaviour;
import org.ic2.training.compare.Stored.Level;
import org.ic2.training.report.Html;
import org.ic2.training.report.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose figures are known, beside the paper's claims. */
class PaperFiguresTest {
    @TempDir
    private Path folder;

    private PaperFigures stored(int repeat) throws IOException {
        StoredPaper.in(folder, Stored.plan("off,paper-online,paper-graceful", repeat));
        return PaperFigures.read(folder);
    }

    @Test
    void theOutcomeSaysWhetherThePapersGainComesAndWhatItHides() throws IOException {
        List<String> outcome = stored(4).outcome();
        assertThat(outcome).hasSize(2);
        assertThat(outcome.get(0)).startsWith("the paper's IC\u00b2, httpd-online: mean response time -6").contains(" in 4 runs; the paper, private testbed: -32 to -40 %. ")
                .endsWith("More than the paper's gain: the interval excludes -40 %.");
        assertThat(outcome.get(1)).as("the mean falls by half, and so does what is served").contains("httpd-basic: mean response time -5", "But users starved: ");
    }

    @Test
    void aGainThatDoesNotComeIsSaidSo() throws IOException {
        Stored.of(folder, Stored.plan("off,paper-online", 5)).arm(Arm.OFF, new Behaviour(Level.UNDER_INTERFERENCE, 0)).arm(Arm.PAPER_ONLINE, new Behaviour(Level.UNDER_INTERFERENCE, 3));
        assertThat(PaperFigures.read(folder).outcome().get(0)).endsWith("The paper's gain does not come: the interval excludes -32 %.");
    }

    @Test
    void aGainAsLargeAsThePapersIsSaidSo() throws IOException {
        double mended = 0.64 * Level.UNDER_INTERFERENCE.responseTime();
        Stored.of(folder, Stored.plan("off,paper-online", 5)).arm(Arm.OFF, new Behaviour(Level.UNDER_INTERFERENCE, 0)).arm(Arm.PAPER_ONLINE, new Behaviour(
                new Level(mended, 90, 30, 1), 3));
        assertThat(PaperFigures.read(folder).outcome().get(0)).endsWith("The interval holds the paper's gain.");
    }

    @Test
    void oneRunNeitherConfirmsNorRefutes() throws IOException {
        assertThat(stored(1).outcome().get(0)).contains("(one run)", "in 1 run;").endsWith("so it neither confirms nor refutes the paper.");
    }

    @Test
    void theTablesHaveThePapersRowsBesideOurs() throws IOException {
        List<Table> tables = stored(3).tables();
        assertThat(tables).hasSize(3);
        assertThat(tables.get(0).rows().stream().map(row -> row.get(0))).startsWith("paper, private: online").contains("paper-online", "paper-graceful");
        Table work = tables.get(2);
        assertThat(work.rows()).extracting(row -> row.get(0)).containsExactly("load per operation, s", "work done", "response time, s");
        assertThat(work.rows().get(0).get(1)).as("half a CPU for 100 operations a second").startsWith("0.00500 (");
        assertThat(work.rows().get(0).get(5)).as("0.0059 beside the neighbour").isEqualTo("+yes");
        assertThat(work.rows().get(1).get(2)).as("0.6 s x 85/s x 0.5").startsWith("2");
        assertThat(work.markdown()).contains("| load per operation, s | 0.00500 (").doesNotContain("NaN");
    }

    @Test
    void aSwitchesSettlingIsInNoCluster() throws IOException {
        ComparePlan plan = Stored.plan("off,paper-online,paper-graceful", 1);
        stored(1);
        Table work = WorkChart.table(Comparison.read(folder));
        // 100 s in intervals of 5 s: three phases of 20 s without interference and two episodes, of which all but the first lose 5 s
        assertThat(plan.settle()).isEqualTo(java.time.Duration.ofSeconds(5));
        assertThat(work.rows().get(0).subList(3, 5)).containsExactly("10", "6");
    }

    @Test
    void thePageHasFiguresSevenNineAndTen() throws IOException {
        PaperFigures figures = stored(2);
        Html html = new Html("paper");
        figures.add(html);
        String page = html.page();
        assertThat(page).contains("the paper's figure 7", "the paper's figure 10", "Figure 9", "users starved").doesNotContain("NaN").doesNotContain("src=");
        assertThat(page.split("<svg").length - 1).as("two rounds, figure 10 for each part of an episode, figure 7").isEqualTo(5);
    }
}
