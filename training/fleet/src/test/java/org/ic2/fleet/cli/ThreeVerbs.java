// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ic2.fleet.Spark;

/** A program in which ingest, fit and evaluate are at work at the same time, again and again, until somebody ends it, or who started it has ended. */
final class ThreeVerbs {
    private ThreeVerbs() {
    }

    /** What each is told, with an output of this number; {@code folder} holds recordings {@code in} and the same as a {@code store}. */
    static List<List<String>> commands(Path folder, int number) {
        String store = folder.resolve("store").toString();
        return List.of(List.of("ingest", folder.resolve("in").toString(), "--store", folder.resolve("ingested-" + number).toString()),
                List.of("fit", store, "--out", folder.resolve("fitted-" + number).toString()),
                List.of("evaluate", store, "--classifier", "../../knowledge-base/src/main/resources/org/ic2/knowledge/classifier.json",
                        "--out", folder.resolve("judged-" + number).toString()));
    }

    /** Runs, for as long as its standard input is open. */
    public static void main(String[] arguments) throws IOException {
        Spark.session();
        for (int verb = 0; verb < commands(Path.of(arguments[0]), 0).size(); verb++) {
            int which = verb;
            new Thread(() -> {
                for (int number = 0;; number++) {
                    if (Ic2Fleet.run(commands(Path.of(arguments[0]), number).get(which)) != 0) {
                        System.exit(1);
                    }
                }
            }).start();
        }
        System.in.read();
        Runtime.getRuntime().halt(1);
    }
}
