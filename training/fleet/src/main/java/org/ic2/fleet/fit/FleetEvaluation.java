// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.ic2.fleet.features.LabelledRows;
import org.ic2.fleet.features.Reasons;
import org.ic2.fleet.features.TenantRow;
import org.ic2.fleet.features.TenantRows;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.AnswerCounts.Answered;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.DecisionTree;

/** What a classifier, and another one beside it, says of all labelled samples of a store: one pass, in which nothing but counts is kept. */
public final class FleetEvaluation {
    private static final String KIND = "evaluation";
    private static final String COUNTS = "answers";

    private final SparkSession spark;
    private final String store;
    private final String member;
    private final Reasons reasons = new Reasons();

    /** Of this store's samples of a member of the application group. */
    public FleetEvaluation(SparkSession spark, String store, String member) {
        this.spark = spark;
        this.store = store;
        this.member = member;
        spark.sparkContext().register(reasons, "left out");
    }

    /**
     * Counts, and writes the counts as a folder in one step.
     *
     * @param classifier the text of the file
     * @param beside     that of another one, or the same again
     * @return the counts, of {@link AnswerCounts}
     */
    public Dataset<Row> into(String folder, String classifier, String beside) throws IOException {
        Dataset<Row> samples = SampleStore.read(spark, store);
        Set<Attribute> asked = new TreeSet<>((a, b) -> a.name().compareTo(b.name()));
        for (String text : List.of(classifier, beside)) {
            asked.addAll(ClassifierJson.read("the classifier", text).tree().attributes());
        }
        Reasons counted = reasons;
        try (AtomicOutput out = AtomicOutput.into(spark.sparkContext().hadoopConfiguration(), folder)) {
            AnswerCounts.sum(TenantRows.each(samples, List.copyOf(asked), member, Encoders.row(AnswerCounts.SCHEMA),
                    rows -> new AnswerCounts(answers(rows, classifier, beside, counted)))).coalesce(1).write().parquet(out.below(COUNTS));
            long rows = spark.read().parquet(out.below(COUNTS)).agg(functions.coalesce(functions.sum(AnswerCounts.ROWS), functions.lit(0L)))
                    .first().getLong(0);
            if (rows == 0) {
                throw new FleetException(store + ": expected labelled samples that can be judged, got none"
                        + (reasons.value().isEmpty() ? "" : "; samples that were not used: " + reasons.text()));
            }
            Map<String, Long> counts = new LinkedHashMap<>(Map.of("rows", rows));
            out.commit(new Manifest(KIND, counts, List.of(store), Map.of("made", "by ic2-fleet evaluate", "not used", reasons.text())));
        }
        return spark.read().parquet(folder + "/" + COUNTS);
    }

    /** Why samples were not used, in words; empty if all were. */
    public String notUsed() {
        return reasons.text();
    }

    /** From rows to answers. */
    private static Iterator<Answered> answers(Iterator<TenantRow> rows, String classifier, String beside, Reasons reasons) {
        DecisionTree one = ClassifierJson.read("the classifier", classifier).tree();
        DecisionTree other = ClassifierJson.read("the other classifier", beside).tree();
        return new LabelledRows<>(rows, row -> new Answered(row.tenant(), row.host(), row.day(), row.row().truth().orElseThrow().ordinal(),
                one.classify(row.row()::get).believed().ordinal(), other.classify(row.row()::get).believed().ordinal(), false, false),
                reasons);
    }
}
