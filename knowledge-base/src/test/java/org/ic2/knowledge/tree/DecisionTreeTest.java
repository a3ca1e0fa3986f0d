// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.ic2.knowledge.Label.INTERFERENCE;
import static org.ic2.knowledge.Label.NO_INTERFERENCE;
import static org.ic2.knowledge.Label.TRANSIENT;

import java.util.HashMap;
import java.util.Map;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;
import org.junit.jupiter.api.Test;

class DecisionTreeTest {
    private static final Attribute LPO = Attribute.parse("load_per_operation_ratio");
    private static final Attribute RT = Attribute.parse("response_time_ratio");

    private static final DecisionTree TREE = new DecisionTree(new Split(LPO, 1.25,
            new Leaf(NO_INTERFERENCE, Map.of(NO_INTERFERENCE, 60.0)),
            new Split(RT, 2,
                    new Leaf(TRANSIENT, Map.of(TRANSIENT, 8.0, INTERFERENCE, 2.0)),
                    new Leaf(INTERFERENCE, Map.of(INTERFERENCE, 27.0, NO_INTERFERENCE, 3.0)))));

    private static Classification classify(double lpo, double rt) {
        Map<Attribute, Double> values = new HashMap<>(Map.of(LPO, lpo, RT, rt));
        return TREE.classify(values::get);
    }

    @Test
    void followsTheTests() {
        assertThat(classify(1.0, 9).label()).isEqualTo(NO_INTERFERENCE);
        assertThat(classify(1.3, 1).label()).isEqualTo(TRANSIENT);
        assertThat(classify(1.3, 9)).isEqualTo(new Classification(INTERFERENCE, 0.9, false));
    }

    @Test
    void theThresholdItselfIsOnTheLowSide() {
        assertThat(classify(1.25, 9).label()).isEqualTo(NO_INTERFERENCE);
        assertThat(classify(Math.nextUp(1.25), 2).label()).isEqualTo(TRANSIENT);
        assertThat(classify(Math.nextUp(1.25), Math.nextUp(2.0)).label()).isEqualTo(INTERFERENCE);
    }

    @Test
    void aMissingAttributeThatIsNotAskedChangesNothing() {
        assertThat(classify(1.0, Double.NaN)).isEqualTo(new Classification(NO_INTERFERENCE, 1, false));
    }

    @Test
    void aMissingAttributeIsBridgedByTheTrainingWeights() {
        // 10 of 40 go to the leaf TRANSIENT, 30 to the leaf INTERFERENCE
        Classification rtMissing = classify(1.3, Double.NaN);
        assertThat(rtMissing.label()).isEqualTo(INTERFERENCE);
        assertThat(rtMissing.bridged()).isTrue();
        assertThat(rtMissing.confidence()).isCloseTo(0.25 * 0.2 + 0.75 * 0.9, within(1e-12));
        // 60 of 100 go left
        Classification both = classify(Double.NaN, Double.NaN);
        assertThat(both.label()).isEqualTo(NO_INTERFERENCE);
        assertThat(both.confidence()).isCloseTo(0.6 + 0.4 * 0.75 * 0.1, within(1e-12));
        Classification lpoMissing = classify(Double.NaN, 9);
        assertThat(lpoMissing.confidence()).isCloseTo(0.6 + 0.4 * 0.1, within(1e-12));
    }

    @Test
    void leavesWithoutCountsWeighTheSame() {
        DecisionTree bare = new DecisionTree(new Split(LPO, 1, new Leaf(NO_INTERFERENCE, Map.of()),
                new Split(RT, 1, new Leaf(INTERFERENCE, Map.of()), new Leaf(INTERFERENCE, Map.of()))));
        Classification answer = bare.classify(attribute -> Double.NaN);
        assertThat(answer.label()).isEqualTo(INTERFERENCE);
        assertThat(answer.confidence()).isCloseTo(2.0 / 3, within(1e-12));
    }

    @Test
    void anEditedLabelCountsWholly() {
        Leaf edited = new Leaf(INTERFERENCE, Map.of(NO_INTERFERENCE, 90.0, INTERFERENCE, 10.0));
        assertThat(edited.share(INTERFERENCE)).isEqualTo(1);
        assertThat(edited.share(NO_INTERFERENCE)).isZero();
    }

    @Test
    void ofEqualVotesTheFirstLabelWins() {
        DecisionTree tie = new DecisionTree(
                new Split(LPO, 1, new Leaf(INTERFERENCE, Map.of()), new Leaf(NO_INTERFERENCE, Map.of())));
        assertThat(tie.classify(attribute -> Double.NaN).label()).isEqualTo(NO_INTERFERENCE);
    }

    @Test
    void printsAsText() {
        assertThat(TREE.toText()).isEqualTo("""
                load_per_operation_ratio <= 1.25: NO_INTERFERENCE (60)
                load_per_operation_ratio > 1.25
                |   response_time_ratio <= 2: TRANSIENT (8, INTERFERENCE 2)
                |   response_time_ratio > 2: INTERFERENCE (27, NO_INTERFERENCE 3)
                """);
        assertThat(new DecisionTree(new Leaf(Label.TRANSIENT, Map.of())).toText()).isEqualTo("TRANSIENT\n");
    }

    @Test
    void explainsItsWay() {
        Map<Attribute, Double> values = Map.of(LPO, 1.3111111, RT, 9.0);
        assertThat(TREE.path(values::get))
                .isEqualTo("load_per_operation_ratio 1.31 > 1.25, response_time_ratio 9 > 2");
        assertThat(TREE.path(attribute -> Double.NaN)).isEqualTo("load_per_operation_ratio missing");
    }
}
