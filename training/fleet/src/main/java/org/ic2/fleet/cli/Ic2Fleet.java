// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.fleet.store.FleetException;
import org.ic2.knowledge.FormatException;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.cli.Program;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ic2-fleet}: from the recordings of many tenants to one classifier, on Apache Spark. */
@Command(name = "ic2-fleet", mixinStandardHelpOptions = true, versionProvider = Ic2Fleet.Version.class,
        description = {"Trains and judges the classifier of IC2 on the recordings of a fleet, with Apache Spark. See docs/training.md.",
            "Exit status: 0 done, 1 failed, 2 usage."})
public final class Ic2Fleet {
    private Ic2Fleet() {
    }

    /** The program, also what spark-submit calls. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments)));
    }

    /** Runs one verb; returns the exit status. */
    public static int run(List<String> arguments) {
        return run(commands(), arguments);
    }

    /** The same of a command line whose streams may be others. */
    static int run(CommandLine line, List<String> arguments) {
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((e, command, parsed) -> failed(e, line.getErr()));
        if (arguments.isEmpty()) {
            line.usage(line.getErr());
            return Program.USAGE;
        }
        return line.execute(arguments.toArray(String[]::new));
    }

    /** The command with its verbs. */
    static CommandLine commands() {
        return new CommandLine(new Ic2Fleet())
                .addSubcommand(new IngestCommand())
                .addSubcommand(new FleetFitCommand())
                .addSubcommand(new FleetEvaluateCommand())
                .addSubcommand(new FleetOutliersCommand())
                .addSubcommand(new FleetReportCommand())
                .addSubcommand(new GenerateCommand())
                .addSubcommand(new FleetLabelCommand())
                .addSubcommand(new CommandLine(new AutoComplete.GenerateCompletion()).setCommandName("completion"));
    }

    /** One line of what went wrong; returns the exit status. What is a fault of ours is thrown on. */
    static int failed(Exception thrown, PrintWriter err) throws Exception {
        Optional<Throwable> ours = Stream.<Throwable>iterate(thrown, e -> e != null, Throwable::getCause).filter(Ic2Fleet::explains).findFirst();
        if (ours.isEmpty()) {
            throw thrown;
        }
        err.println("ic2-fleet: " + DisplayText.clean(words(ours.get())));
        return thrown instanceof IllegalArgumentException ? Program.USAGE : Program.FAILED;
    }

    private static boolean explains(Throwable e) {
        return e instanceof FleetException || e instanceof FormatException || e instanceof IOException || e instanceof UncheckedIOException
                || e instanceof IllegalArgumentException;
    }

    private static String words(Throwable e) {
        return e instanceof FileNotFoundException ? e.getMessage() + ": there is no such file"
                : e instanceof UncheckedIOException unchecked ? words(unchecked.getCause()) : String.valueOf(e.getMessage());
    }

    /** What {@code --version} prints. */
    static final class Version extends Program.JarVersion {
        Version() {
            super(Ic2Fleet.class);
        }
    }
}
