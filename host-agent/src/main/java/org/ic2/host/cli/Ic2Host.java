// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.ic2.runtime.daemon.LastingLog;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The command {@code ic2-host}. Exit status: 0 done, 1 it failed or was refused, 2 usage or bad configuration. */
@Command(name = "ic2-host", mixinStandardHelpOptions = true, versionProvider = Ic2Host.HostVersion.class,
        description = "Tunes a host's scheduler and its guests' CPU and memory.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:done", "1:it failed or was refused", "2:usage or bad configuration"},
        subcommands = {HostCheckCommand.class, HostRunCommand.class, DiscoverCommand.class, OptimizeCommand.class,
            SimulateCommand.class, HostReplayCommand.class, HostExplainCommand.class, AdviseCommand.class, HostStatusCommand.class,
            HostEventsCommand.class, HostRestoreCommand.class, HostResumeCommand.class, HelpCommand.class})
public final class Ic2Host {

    static final int FAILED = 1;
    static final int USAGE = 2;

    /** The version of the jar. */
    static final class HostVersion implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Ic2Host.class.getPackage().getImplementationVersion();
            return new String[] {"ic2-host " + (version == null ? "development" : version)};
        }
    }

    private Ic2Host() {
    }

    /** The command line, ready to be executed. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Ic2Host());
        line.setExecutionExceptionHandler(Ic2Host::explain);
        return line;
    }

    /** Errors are for people: one line, no stack trace, unless it is a fault of ours. */
    private static int explain(Exception error, CommandLine line, CommandLine.ParseResult result) throws Exception {
        if (error instanceof ConfigException || error instanceof IOException) {
            String words = error instanceof NoSuchFileException none ? none.getFile() + ": no such file"
                    : error.getMessage() == null ? error.toString() : error.getMessage();
            line.getErr().println("ic2-host: " + HostClient.clean(words));
            return error instanceof ConfigException ? USAGE : FAILED;
        }
        if (error instanceof InterruptedException) {
            line.getErr().println("ic2-host: interrupted");
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
