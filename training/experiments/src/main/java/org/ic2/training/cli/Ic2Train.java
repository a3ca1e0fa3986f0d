// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.ServiceLoader;
import org.ic2.knowledge.FormatException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ic2-train}: from labelled runs to a classifier that people can read and edit. */
@Command(name = "ic2-train", mixinStandardHelpOptions = true, versionProvider = Ic2Train.Version.class,
        description = {"Trains and judges the classifier of IC2 (classifier.json). See docs/training.md.",
            "Exit status: 0 done, 1 failed, 2 usage."})
public final class Ic2Train {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private Ic2Train() {
    }

    /** The program. */
    public static void main(String[] arguments) {
        Interruption interruption = Interruption.install(Thread.currentThread());
        int status = run(List.of(arguments));
        interruption.over();
        System.exit(status);
    }

    /** Runs one verb; returns the exit status. */
    public static int run(List<String> arguments) {
        CommandLine line = commands(verbs());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionStrategy(new CommandLine.RunLast());
        line.setExecutionExceptionHandler((e, command, parsed) -> failed(e, command.getErr()));
        if (arguments.isEmpty()) {
            line.usage(line.getErr());
            return USAGE;
        }
        return line.execute(arguments.toArray(String[]::new));
    }

    /** The verbs of the module that links Weka, or if it was not built verbs that say so. */
    static TrainingVerbs verbs() {
        return ServiceLoader.load(TrainingVerbs.class).findFirst().orElseGet(NotBuilt::new);
    }

    static CommandLine commands(TrainingVerbs verbs) {
        return new CommandLine(new Ic2Train())
                .addSubcommand(new CollectCommand())
                .addSubcommand(new LabelCommand())
                .addSubcommand(new PackCommand())
                .addSubcommand("fit", verbs.fit())
                .addSubcommand(new EvaluateCommand(verbs))
                .addSubcommand(new OutliersCommand())
                .addSubcommand(new SweepCommand())
                .addSubcommand(new MeasureCommand())
                .addSubcommand("pipeline", verbs.pipeline())
                .addSubcommand(new CompareCommand())
                .addSubcommand("paper", verbs.paper())
                .addSubcommand(new AlarmsCommand())
                .addSubcommand(new CommandLine(new AutoComplete.GenerateCompletion()).setCommandName("completion"));
    }

    /** One line of what went wrong; returns the exit status. */
    static int failed(Exception thrown, PrintWriter err) throws Exception {
        Exception e = thrown instanceof UncheckedIOException unchecked ? unchecked.getCause() : thrown;
        if (e instanceof InterruptedException) {
            err.println("ic2-train: interrupted; what was measured is kept, the same command goes on from there");
            return FAILED;
        }
        boolean ours = e instanceof IOException || e instanceof FormatException || e instanceof IllegalArgumentException;
        if (!ours) {
            throw e;
        }
        err.println("ic2-train: " + (e instanceof NoSuchFileException ? e.getMessage() + ": there is no such file" : e.getMessage()));
        return e instanceof IllegalArgumentException && !(e instanceof FormatException) ? USAGE : FAILED;
    }

    /** What {@code --version} prints. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Ic2Train.class.getPackage().getImplementationVersion();
            return new String[] {"ic2-train " + (version == null ? "development" : version)
                    + ", " + verbs().licence()};
        }
    }
}
