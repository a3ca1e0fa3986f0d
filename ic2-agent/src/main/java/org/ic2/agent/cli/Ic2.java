// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.Set;
import org.ic2.knowledge.FormatException;
import org.ic2.runtime.cli.Program;
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
            EventsCommand.class, ReportCommand.class, ApplyCommand.class, RestoreCommand.class, PauseCommand.class, ResumeCommand.class, ReplayCommand.class,
            ExplainCommand.class, LadderCommand.class, HelpCommand.class})
public final class Ic2 {

    static final int FAILED = Program.FAILED;
    static final int USAGE = Program.USAGE;

    /** The version of the jar. */
    static final class Version extends Program.JarVersion {
        Version() {
            super(Ic2.class);
        }
    }

    private Ic2() {
    }

    /** The command line, ready to be executed or to be described in manual pages. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Ic2());
        line.addSubcommand(new CommandLine(new AutoComplete.GenerateCompletion()).setCommandName("completion"));
        return Program.explaining(line, Set.of(FormatException.class));
    }

    public static void main(String[] arguments) {
        Program.main(Ic2::commandLine, arguments);
    }
}
