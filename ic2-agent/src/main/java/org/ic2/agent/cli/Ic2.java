// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import org.ic2.agent.terminal.DisplayText;
import org.ic2.knowledge.FormatException;
import org.ic2.runtime.daemon.LastingLog;
import org.ic2.runtime.yaml.ConfigException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The command {@code ic2}. Exit status: 0 done, 1 it failed or was refused, 2 usage or bad configuration. */
@Command(name = "ic2", mixinStandardHelpOptions = true, versionProvider = Ic2.Version.class,
        description = "Notices interference by neighbour VMs and reconfigures the web tier while it runs.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:done", "1:it failed or was refused", "2:usage or bad configuration"},
        subcommands = {InitCommand.class, RunCommand.class, CheckCommand.class, StatusCommand.class, WatchCommand.class,
            EventsCommand.class, ApplyCommand.class, RestoreCommand.class, PauseCommand.class, ResumeCommand.class, ReplayCommand.class,
            ExplainCommand.class, LadderCommand.class, HelpCommand.class})
public final class Ic2 {

    static final int FAILED = 1;
    static final int USAGE = 2;

    /** The version of the jar. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Ic2.class.getPackage().getImplementationVersion();
            return new String[] {"ic2 " + (version == null ? "development" : version)};
        }
    }

    private Ic2() {
    }

    /** The command line, ready to be executed or to be described in manual pages. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Ic2());
        line.addSubcommand(new CommandLine(new AutoComplete.GenerateCompletion()).setCommandName("completion"));
        line.setExecutionExceptionHandler(Ic2::explain);
        return line;
    }

    /** Errors are for the tenant: one line, no stack trace, unless it is a fault of ours. */
    private static int explain(Exception error, CommandLine line, CommandLine.ParseResult result) throws Exception {
        if (error instanceof ConfigException || error instanceof FormatException) {
            line.getErr().println("ic2: " + DisplayText.clean(String.valueOf(error.getMessage())));
            return USAGE;
        }
        if (error instanceof IOException) {
            line.getErr().println("ic2: " + DisplayText.clean(String.valueOf(error.getMessage())));
            return FAILED;
        }
        throw error;
    }

    public static void main(String[] arguments) {
        // before any logger is asked for: the logging system reads it once
        System.setProperty("java.util.logging.manager", LastingLog.class.getName());
        System.exit(commandLine().execute(arguments));
    }
}
