// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.training.report.Html;
import org.ic2.training.report.Table;

/** A comparison on a cluster, for people: as a page, and as Markdown. */
final class ClusterReport {
    private static final Set<String> OF_THE_RUN = Set.of("id", "balance", "levers", "noisy", "begin", "seed");

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
                .map(arm -> arm.key() + ": " + arm.title()).collect(Collectors.joining("; ")) + ".";
    }

    String markdown() {
        return headline() + "\n\n" + arms() + "\n\n" + tables().map(Table::markdown).collect(Collectors.joining());
    }

    String html() {
        Html html = new Html("IC\u00b2: a cluster beside noisy neighbours").lead(headline()).text(arms()).section("Results");
        tables().forEach(html::table);
        return html.page();
    }

    private Stream<Table> tables() {
        return Stream.concat(new ClusterTables(all).tables().stream(), Stream.of(settings()));
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
