// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.ic2.knowledge.FormatException;
import org.junit.jupiter.api.Test;

class CsvTest {
    @Test
    void aLineIsItsCellsAlsoTheEmptyOnes() {
        assertThat(Csv.cells("1.5,,x,")).containsExactly("1.5", "", "x", "");
        assertThat(Csv.cells(",,")).containsExactly("", "", "");
        assertThat(Csv.cells("")).containsExactly("");
        assertThat(Csv.cells("one")).containsExactly("one");
        assertThat(Csv.cells(" a , b")).containsExactly(" a ", " b");
    }

    @Test
    void aQuotedCellMayHoldCommasAndQuotes() {
        assertThat(Csv.cells("1,\"a, \"\"b\"\"\",2")).containsExactly("1", "a, \"b\"", "2");
        assertThatThrownBy(() -> Csv.cells("1,\"a")).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'1,\"a'");
        assertThatThrownBy(() -> NeighbourLog.read("n.csv", List.of("1,start,\"dcopy --si"))).isInstanceOf(FormatException.class)
                .hasMessageContaining("n.csv").hasMessageContaining("line 1");
    }

    @Test
    void writtenLinesAreReadAgainAndQuotedOnlyIfNeeded() {
        for (List<String> cells : List.of(List.of("a", "", "b"), List.of("llcprobe 32MiB, same core", "x\"y"), List.of("", ""),
                List.of("a text that is longer than any name of a column", "-1e-9"))) {
            assertThat(Csv.cells(Csv.line(cells))).isEqualTo(cells);
        }
        assertThat(Csv.line(List.of("a text that is longer than any name of a column", "", "a, b")))
                .isEqualTo("a text that is longer than any name of a column,,\"a, b\"");
    }
}
