// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Attribute;

/**
 * A trained tree with what one must know to trust it: the content of {@code classifier.json}. The classes are those
 * of {@link org.ic2.knowledge.Label}, in its order.
 *
 * @param attributes what the training offered to the tree; the tree tests no other
 * @param costs      the costs it was trained with
 * @param provenance where it comes from, in words: data, tools, versions, figures
 * @param tree       the tests
 */
public record ClassifierModel(List<Attribute> attributes, CostMatrix costs, Map<String, String> provenance,
        DecisionTree tree) {
    public ClassifierModel {
        attributes = List.copyOf(attributes);
        provenance = Collections.unmodifiableMap(new LinkedHashMap<>(provenance));
        for (Attribute attribute : tree.attributes()) {
            if (!attributes.contains(attribute)) {
                throw new IllegalArgumentException("the tree tests '" + attribute + "', which is not among the "
                        + "attributes " + attributes);
            }
        }
    }

    /** True if the tree needs learned medians. */
    public boolean relative() {
        return tree.attributes().stream().anyMatch(Attribute::relative);
    }
}
