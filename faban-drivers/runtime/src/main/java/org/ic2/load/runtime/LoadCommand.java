// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code ic2-load}. Exit codes: 0 done, 1 it failed, 2 usage or bad configuration. */
@Command(name = "ic2-load", mixinStandardHelpOptions = true, version = "ic2-load 0.1",
        subcommands = {LoadRunCommand.class},
        description = "Puts load on the web tier: runs a Faban driver class without Faban.",
        footer = "This is the embedded runtime of IC2, not Faban. Exit codes: 0 done, 1 failed, 2 usage or bad configuration.")
public final class LoadCommand {
    static final int BAD_CONFIGURATION = 2;

    private LoadCommand() {
    }

    /**
     * Entry point.
     *
     * @param arguments command line
     */
    public static void main(String[] arguments) {
        boolean terminal = Boolean.getBoolean("org.ic2.load.terminal");
        System.exit(execute(arguments, System.out, System.err, terminal));
    }

    /** The command with its verbs. */
    static CommandLine commands(PrintStream out, PrintStream err, boolean terminal) {
        Map<Class<?>, Object> made = Map.of(LoadRunCommand.class, new LoadRunCommand(out, err, terminal));
        CommandLine line = new CommandLine(new LoadCommand(), new CommandLine.IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                return made.containsKey(type) ? type.cast(made.get(type)) : CommandLine.defaultFactory().create(type);
            }
        });
        line.addSubcommand(new CommandLine(new AutoComplete.GenerateCompletion()).setCommandName("completion"));
        return line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    }

    static int execute(String[] arguments, PrintStream out, PrintStream err, boolean terminal) {
        CommandLine line = commands(out, err, terminal);
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            err.println("ic2-load: " + (e.getMessage() == null ? e.toString() : e.getMessage()));
            return e instanceof ConfigError ? BAD_CONFIGURATION : LoadRunCommand.FAILED;
        });
        if (arguments.length == 0) {
            line.usage(err);
            return BAD_CONFIGURATION;
        }
        return line.execute(arguments);
    }
}
