// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A verb that shows a tree of figures: as it is with {@code --json}, else as text. */
public abstract class ReportVerb implements Callable<Integer> {

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** Says what the report lacks. */
    protected final void warn(String problem) {
        spec.commandLine().getErr().println(spec.root().name() + ": warning: " + DisplayText.clean(problem));
    }

    /**
     * Prints it.
     *
     * @param <T> of which kind the tree is
     */
    protected final <T extends JsonNode> void show(T tree, Function<T, String> text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? tree.toPrettyString() + "\n" : text.apply(tree));
        out.flush();
    }
}
