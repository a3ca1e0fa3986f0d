// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.util.Set;
import org.ic2.runtime.cli.Program;
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
            HostReplayCommand.class, HostExplainCommand.class, AdviseCommand.class, HostStatusCommand.class, HostEventsCommand.class,
            HostRestoreCommand.class, HostResumeCommand.class, HelpCommand.class})
public final class Ic2Host {

    static final int FAILED = Program.FAILED;
    static final int USAGE = Program.USAGE;

    /** The version of the jar. */
    static final class HostVersion extends Program.JarVersion {
        HostVersion() {
            super(Ic2Host.class);
        }
    }

    private Ic2Host() {
    }

    /** The command line, ready to be executed. */
    public static CommandLine commandLine() {
        return Program.explaining(new CommandLine(new Ic2Host()), Set.of());
    }

    public static void main(String[] arguments) {
        Program.main(Ic2Host::commandLine, arguments);
    }
}
