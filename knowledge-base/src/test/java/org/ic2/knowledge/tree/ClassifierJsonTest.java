// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassifierJsonTest {
    private static final String GOOD = """
            {"format": 1,
             "attributes": ["load_per_operation", "response_time"],
             "classes": ["NO_INTERFERENCE", "TRANSIENT", "INTERFERENCE"],
             "cost_matrix": [[0, 1, 5], [1, 0, 1], [10, 1, 0]],
             "provenance": {"made": "for a test"},
             "tree": {"attribute": "load_per_operation", "threshold": 0.006,
                      "le": {"label": "NO_INTERFERENCE", "counts": {"NO_INTERFERENCE": 40}},
                      "gt": {"attribute": "response_time", "threshold": 0.5,
                             "le": {"label": "TRANSIENT"}, "gt": {"label": "INTERFERENCE"}}}}
            """;

    @Test
    void readsAModel() {
        ClassifierModel model = ClassifierJson.read("classifier.json", GOOD);
        assertThat(model.costs()).isEqualTo(CostMatrix.of(5, 1, 10));
        assertThat(model.costs().cost(Label.INTERFERENCE, Label.NO_INTERFERENCE)).isEqualTo(10);
        assertThat(model.costs().cost(Label.NO_INTERFERENCE, Label.INTERFERENCE)).isEqualTo(5);
        assertThat(model.provenance()).containsEntry("made", "for a test");
        assertThat(model.relative()).isFalse();
        assertThat(model.tree().toText()).contains("load_per_operation <= 0.006: NO_INTERFERENCE (40)");
    }

    @Test
    void everyTreeThatWasWrittenReadsBackEqual() {
        Random random = new Random(11);
        for (int i = 0; i < 300; i++) {
            List<Attribute> attributes = new ArrayList<>();
            for (int j = 0; j < 4; j++) {
                attributes.add(new Attribute(Metric.values()[random.nextInt(Metric.values().length)],
                        Attribute.Form.PLAIN));
                attributes.add(new Attribute(Attribute.LEARNED.get(random.nextInt(Attribute.LEARNED.size())),
                        Attribute.Form.values()[random.nextInt(3)]));
            }
            ClassifierModel model = new ClassifierModel(attributes,
                    CostMatrix.of(random.nextDouble(), 1, random.nextInt(20)), Map.of("seed", "11", "run", "" + i),
                    new DecisionTree(node(random, attributes, 6)));
            ClassifierModel back = ClassifierJson.read("classifier.json", ClassifierJson.write(model));
            assertThat(back).isEqualTo(model);
        }
    }

    private static TreeNode node(Random random, List<Attribute> attributes, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            Map<Label, Double> counts = new EnumMap<>(Label.class);
            for (Label label : Label.values()) {
                if (random.nextBoolean()) {
                    counts.put(label, random.nextBoolean() ? random.nextInt(100) : random.nextDouble() * 100);
                }
            }
            return new Leaf(Label.values()[random.nextInt(3)], counts);
        }
        return new Split(attributes.get(random.nextInt(attributes.size())), random.nextGaussian() * 10,
                node(random, attributes, depth - 1), node(random, attributes, depth - 1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"threshold\": 0.5       | \"threshold\": \"high\"    | tree.gt.threshold",
        "\"threshold\": 0.5       | \"threshold\": 1e999       | tree.gt.threshold",
        "\"threshold\": 0.5,      | ''                         | tree.gt: key 'threshold' is missing",
        "\"threshold\": 0.5,      | \"treshold\": 0.5,         | tree.gt: unknown key 'treshold'",
        "{\"label\": \"TRANSIENT\"} | {\"label\": \"BUSY\"}    | tree.gt.le.label: expected one of",
        "{\"label\": \"TRANSIENT\"} | 7                        | tree.gt.le: expected {attribute",
        "{\"label\": \"TRANSIENT\"} | null                     | tree.gt.le: expected {attribute",
        "{\"label\": \"TRANSIENT\"} | {}                       | tree.gt.le: key 'attribute' is missing",
        "{\"label\": \"TRANSIENT\"} | {\"label\":\"TRANSIENT\",\"le\":{}} | tree.gt.le: unknown key 'le'",
        "{\"NO_INTERFERENCE\": 40} | {\"NO_INTERFERENCE\": -1} | tree.le.counts.NO_INTERFERENCE",
        "{\"NO_INTERFERENCE\": 40} | {\"CALM\": 1}             | tree.le.counts.CALM",
        "{\"NO_INTERFERENCE\": 40} | {}                        | tree.le.counts",
        "\"attribute\": \"response_time\" | \"attribute\": \"cmr\" | tree.gt.attribute: 'cmr' is not in the list",
        "\"attribute\": \"response_time\" | \"attribute\": \"speed\" | tree.gt.attribute: unknown attribute",
        "\"load_per_operation\", \"response_time\" | \"speed\" | attributes[0]: unknown attribute 'speed'",
        "\"NO_INTERFERENCE\", \"TRANSIENT\" | \"NO_INTERFERENCE\" | classes: expected",
        "[0, 1, 5], [1, 0, 1]     | [0, 1, 5]                  | cost_matrix: expected 3 rows of 3 numbers",
        "[0, 1, 5]                | [3, 1, 5]                  | cost_matrix: expected costs of 0 or more",
        "\"format\": 1            | \"format\": 2              | format: expected 1",
        "\"for a test\"           | {}                         | provenance.made: expected a text",
        "\"for a test\"}          | \"for a test\"             | not JSON",
        "\"format\": 1,           | \"format\": 1, \"format\": 1, | not JSON"})
    void refusesABrokenFileWithThePathOfTheBadNode(String good, String bad, String message) {
        assertThat(GOOD).contains(good);
        String broken = GOOD.replace(good, bad);
        assertThatThrownBy(() -> ClassifierJson.read("classifier.json", broken))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("classifier.json: ").hasMessageContaining(message);
    }

    @Test
    void refusesWhatIsNoObjectOrTooDeep() {
        for (String text : List.of("", "[]", "null", "7", "{", GOOD + "x")) {
            assertThatThrownBy(() -> ClassifierJson.read("c.json", text)).isInstanceOf(FormatException.class);
        }
        String node = "{\"attribute\":\"response_time\",\"threshold\":1,\"le\":{\"label\":\"TRANSIENT\"},\"gt\":";
        String deep = GOOD.replaceAll("(?s)\"tree\".*", "\"tree\": " + node.repeat(70)
                + "{\"label\": \"TRANSIENT\"}" + "}".repeat(71));
        assertThatThrownBy(() -> ClassifierJson.read("c.json", deep)).hasMessageContaining("deeper than");
    }
}
