// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.training.report.Html;

/** A comparison on a cluster, for people: as a page, and as Markdown. */
final class ClusterReport {
    private static final Set<String> OF_THE_RUN = Set.of("id", "balance", "levers", "noisy", "begin", "seed");

    /**
     * A table.
     *
     * @param title its heading
     * @param text  how to read it
     * @param head  the columns
     * @param rows  the cells; the first sign may be one of {@link Html#table}
     */
    record Table(String title, String text, List<String> head, List<List<String>> rows) {
        String markdown() {
            return "### " + title + "\n\n" + text + "\n\n| " + String.join(" | ", head) + " |\n|" + "---|".repeat(head.size()) + "\n"
                    + rows.stream().map(row -> "| " + row.stream().map(Table::plain).collect(Collectors.joining(" | ")) + " |\n")
                            .collect(Collectors.joining()) + "\n";
        }

        private static String plain(String cell) {
            boolean signed = Stream.of("+", "!", "=").anyMatch(cell::startsWith) && !cell.matches("[+]\\d.*%");
            return signed ? cell.substring(1) : cell;
        }
    }

    private final List<ClusterRecording> all;
    private final List<String> missing;

    /** @param missing runs that were planned and are not there */
    ClusterReport(List<ClusterRecording> all, List<String> missing) {
        this.all = all;
        this.missing = missing;
    }

    String headline() {
        return "A cluster beside noisy neighbours: " + all.size() + (all.size() == 1 ? " run" : " runs")
                + (missing.isEmpty() ? "" : ", missing: " + String.join(", ", missing));
    }

    private String arms() {
        return "Arms: " + Stream.of(ClusterArm.values()).filter(arm -> all.stream().anyMatch(one -> one.arm() == arm))
                .map(arm -> "(" + arm.letter() + ") " + arm.title()).collect(Collectors.joining("; ")) + ".";
    }

    String markdown() {
        StringBuilder text = new StringBuilder(headline() + "\n\n" + arms() + "\n\n");
        new ClusterTables(all).tables().forEach(table -> text.append(table.markdown()));
        text.append(settings().markdown());
        return text.toString();
    }

    String html() {
        Html html = new Html("IC\u00b2: a cluster beside noisy neighbours").lead(headline()).text(arms());
        List<Table> tables = new ArrayList<>(new ClusterTables(all).tables());
        tables.add(settings());
        for (Table table : tables) {
            html.section(table.title()).text(table.text()).table(table.head(), table.rows().stream().map(row -> row.stream()
                    .map(cell -> cell.replace(' ', '\u00a0')).toList()).toList());
        }
        return html.page();
    }

    /** What all runs have in common, as each says it of itself. */
    private Table settings() {
        List<List<String>> rows = new ArrayList<>();
        JsonNode first = all.get(0).facts();
        first.fieldNames().forEachRemaining(name -> {
            if (!OF_THE_RUN.contains(name)) {
                rows.add(List.of(name, all.stream().map(one -> one.facts().path(name).asText()).distinct()
                        .collect(Collectors.joining(" or "))));
            }
        });
        return new Table("Settings and provenance", "Times in ms.", List.of("what", "value"), rows);
    }
}
