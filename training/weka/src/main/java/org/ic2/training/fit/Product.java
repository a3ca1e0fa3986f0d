// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.evaluate.Confusion;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.report.TreePicture;

/**
 * What a training leaves for people and programs: the classifier's file, the tree as text and picture, the training data
 * as ARFF, and how well it did on runs that it had not seen.
 *
 * @param order     what was asked
 * @param fitted    the tree
 * @param agreement how exactly the exported tree and Weka's agree
 * @param validated the cross-validation by runs, if there were enough runs
 */
public record Product(Order order, Fitted fitted, Agreement agreement, Optional<Evaluation> validated) {
    /** The file that the agent reads. */
    public static final String CLASSIFIER = "classifier.json";
    private static final int RANDOM_ROWS = 100_000;

    /**
     * What to train.
     *
     * @param name       for the provenance: {@code phase 1}
     * @param runs       the runs behind the rows
     * @param all        all rows for the cross-validation, with their own labels, also those that cannot be judged
     * @param rows       the rows to train on
     * @param attributes what the tree may test
     * @param settings   how to train
     * @param folds      of the cross-validation; less than 2: none
     * @param seed       of everything that is drawn
     */
    public record Order(String name, List<Run> runs, List<Row> all, List<Row> rows, List<Attribute> attributes,
            Fitted.Settings settings, int folds, long seed) {
    }

    /**
     * Trains, and checks the exported tree against Weka's.
     *
     * @throws IllegalStateException if they disagree on a single row
     */
    public static Product make(Order order) {
        Fitted fitted = fitted(order);
        Agreement agreement = Agreement.on(fitted, order.rows())
                .plus(Agreement.onRandom(fitted, order.rows(), RANDOM_ROWS, order.seed()));
        if (agreement.disagreements() > 0) {
            throw new IllegalStateException("the exported tree and Weka's disagree on " + agreement.disagreements() + " of "
                    + agreement.rows() + " rows; nothing is written. Please report this with the training data");
        }
        boolean enough = order.folds() >= 2 && order.all().stream().map(Row::run).distinct().count() >= 2;
        Optional<Evaluation> validated = enough ? CrossValidation.of(order.all(), order.rows(), order.attributes(),
                order.settings(), order.folds(), order.seed()).map(answers -> Evaluation.of(order.runs(), answers))
                : Optional.empty();
        return new Product(order, fitted, agreement, validated);
    }

    /** Trains; if there is too little to train on, says what could not be used and why. */
    private static Fitted fitted(Order order) {
        Map<String, Integer> unused = Rows.leftOut(order.all());
        if (!Trainer.trainable(order.rows()) && !unused.isEmpty()) {
            throw new IllegalArgumentException(Trainer.lack(order.rows()) + "; samples that were not used: " + unused.entrySet().stream()
                    .map(one -> one.getValue() + " (" + one.getKey() + ")").collect(Collectors.joining(", ")));
        }
        return Trainer.fit(order.rows(), order.attributes(), order.settings());
    }

    /** The classifier's file as the agent reads it. */
    public ClassifierModel model() {
        return new ClassifierModel(fitted.attributes(), fitted.settings().costs(), provenance(), fitted.tree());
    }

    private Map<String, String> provenance() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("made", "by ic2-train fit, " + order.name() + ": Weka " + weka.core.Version.VERSION
                + ", J48 in CostSensitiveClassifier");
        facts.put("data", order.rows().size() + " rows of " + order.runs().size() + " runs: " + shares());
        facts.put("interval", distinct(order.runs().stream().map(run -> run.interval().toMillis() + " ms").toList()));
        facts.put("neighbours", distinct(order.runs().stream().flatMap(run -> run.switches().stream())
                .map(one -> one.program() + " " + one.placement()).toList()));
        for (String fact : List.of(Harm.HARMLESS, "users", "seed", "response", "cpu", "kernel", "java", "ic2")) {
            String values = distinct(order.runs().stream().map(run -> run.fact(fact)).filter(text -> !text.isEmpty()).toList());
            if (!values.isEmpty()) {
                facts.put(fact, values);
            }
        }
        facts.put("settings", "confidence " + order.settings().confidence() + ", least leaf "
                + order.settings().leaf(order.rows().size()) + ", seed " + order.seed());
        facts.put("counts", "training weights at each leaf; rows that are dear to miss weigh more");
        facts.put("figures", figures());
        return facts;
    }

    private static String distinct(List<String> values) {
        return String.join("; ", new TreeSet<>(values));
    }

    private String shares() {
        Map<Label, Long> counts = new EnumMap<>(Label.class);
        order.rows().forEach(row -> counts.merge(row.truth().orElseThrow(), 1L, Long::sum));
        return counts.entrySet().stream().map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }

    private String figures() {
        return validated.map(evaluation -> "cross-validated by runs: " + figures(evaluation) + evaluation.harmless().entrySet().stream()
                .map(one -> "; harmless, left out: " + one.getKey() + ", " + one.getValue().text()).collect(Collectors.joining()))
                .orElse(order.folds() < 2 ? "not cross-validated" : "not cross-validated: with one run left out, the others do not"
                + " hold samples of both sides");
    }

    private static String figures(Evaluation evaluation) {
        Confusion all = evaluation.confusion();
        return String.format(Locale.ROOT, "miss rate %.1f %%, recall %.1f %%, precision %.1f %%", 100 * all.missRate(),
                100 * all.recall(Label.INTERFERENCE), 100 * all.precision(Label.INTERFERENCE));
    }

    /** A few lines for a person. */
    public String summary() {
        return fitted.tree().toText() + "\ntrained on " + order.rows().size() + " rows: " + shares() + "\n" + figures()
                + "\nthe exported tree and Weka's agree on all " + agreement.rows() + " rows that were compared ("
                + agreement.ties() + " ties)\n";
    }

    /** Writes all files. */
    public void write(Path folder) throws IOException {
        TextFiles.write(folder.resolve(CLASSIFIER), ClassifierJson.write(model()));
        TextFiles.write(folder.resolve("tree.txt"), fitted.tree().toText());
        TextFiles.write(folder.resolve("tree.svg"), TreePicture.svg(fitted.tree()));
        List<String> facts = new ArrayList<>();
        provenance().forEach((name, value) -> facts.add(name + ": " + value));
        TextFiles.write(folder.resolve("training.arff"), TextFiles.joined(
                DataSet.arff("ic2", facts, fitted.attributes(), order.rows())));
    }
}
