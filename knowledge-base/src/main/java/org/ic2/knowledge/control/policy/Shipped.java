// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;

/** The {@code classifier.json} and {@code rules.yaml} that come with IC2, for those who configure no others. */
public final class Shipped {
    /** The name of the classifier that is used where none is named. */
    public static final String CLASSIFIER = "classifier.json";

    /** The name of the classifier for hosts that report no steal. */
    public static final String WITHOUT_STEAL = "classifier-without-steal.json";

    /** The name of the classifier of the paper's profile: its attributes, its interval. */
    public static final String PAPER = "classifier-paper.json";

    /** The name of the rules. */
    public static final String RULES = "rules.yaml";

    /** The name of the rules of the paper's profile: Table 3 as published. */
    public static final String PAPER_RULES = "rules-paper.yaml";

    private Shipped() {
    }

    /** The shipped classifier. */
    public static ClassifierModel classifier() {
        return classifier(CLASSIFIER);
    }

    /** A shipped classifier by its name. */
    public static ClassifierModel classifier(String name) {
        return ClassifierJson.read("shipped " + name, text(name));
    }

    /** The shipped rules. */
    public static KnowledgeBase rules() {
        return RulesYaml.read("shipped " + RULES, text(RULES));
    }

    /** The content of a shipped file. */
    public static String text(String name) {
        try (InputStream in = Metric.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not in the jar; rebuild knowledge-base");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name + " from the jar", e);
        }
    }
}
