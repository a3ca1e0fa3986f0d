// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import org.ic2.knowledge.Label;

/**
 * A tree's answer.
 *
 * @param label      the class
 * @param confidence the share of the class in the training data at the leaf (or over the leaves that were reached), 0..1
 * @param bridged    true if an attribute on the way was missing, so that both sides were asked
 */
public record Classification(Label label, double confidence, boolean bridged) {
    /** Below this share of the votes a tree that had to bridge missing attributes is taken as TRANSIENT. */
    static final double MIN_CONFIDENCE = 0.8;

    /** The label that the agent acts on: TRANSIENT if attributes were missing and the tree is not sure without them. */
    public Label believed() {
        return unsure() ? Label.TRANSIENT : label;
    }

    /** True if attributes were missing and the tree is not sure without them. */
    public boolean unsure() {
        return bridged && confidence < MIN_CONFIDENCE;
    }
}
