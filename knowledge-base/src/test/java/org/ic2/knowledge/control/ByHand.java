// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.tree.ClassifierJson;

/** A tree with known thresholds, for tests of what follows from its labels; the shipped one changes with each training. */
public final class ByHand {
    private ByHand() {
    }

    public static Detector.Tree detector() {
        try (InputStream in = ByHand.class.getResourceAsStream("by-hand.json")) {
            return new Detector.Tree(ClassifierJson.read("by-hand.json", new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
