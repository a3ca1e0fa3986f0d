// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.training.evaluate.Kind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** In the place of the verbs that train: says what is missing and how to build it. */
final class NotBuilt implements TrainingVerbs {
    private static final String NEEDS = "Needs training/weka, which links Weka (GPL-3.0); build it with: make java";

    @Override
    public Object fit() {
        return new Verb("fit");
    }

    @Override
    public Object pipeline() {
        return new Verb("pipeline");
    }

    @Override
    public Object paper() {
        return new Verb("paper");
    }

    @Override
    public void study(StudyRequest request) {
        throw missing("evaluate --training");
    }

    @Override
    public void leaveOut(Kind kind, StudyRequest request) {
        throw missing("evaluate --leave-out");
    }

    @Override
    public String licence() {
        return "Apache-2.0, without fit, pipeline, paper and evaluate --training or --leave-out, which need training/weka (GPL-3.0)";
    }

    private static IllegalArgumentException missing(String what) {
        return new IllegalArgumentException(what + ": n" + NEEDS.substring(1));
    }

    /** Takes any words, for the answer is the same. */
    @Command(description = NEEDS + ".")
    private static final class Verb implements Callable<Integer> {
        private final String name;

        @Unmatched
        private List<String> words;

        Verb(String name) {
            this.name = name;
        }

        @Override
        public Integer call() {
            throw missing(name);
        }
    }
}
