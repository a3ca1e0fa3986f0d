// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.cli;

import java.util.Set;
import org.ic2.host.cli.Ic2Host;
import org.ic2.runtime.cli.Program;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The command {@code ic2-host-lab}. Exit status: 0 done, 1 it failed or was refused, 2 usage or bad configuration. */
@Command(name = "ic2-host-lab", mixinStandardHelpOptions = true, versionProvider = Ic2HostLab.LabVersion.class,
        description = "Simulates hosts: the papers' experiments, a search for settings, and the commands of ic2-host on a simulated host.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:done", "1:it failed or was refused", "2:usage or bad configuration"},
        subcommands = {SimulateCommand.class, SimulatedSearchCommand.class, HelpCommand.class})
public final class Ic2HostLab {

    /** The version of the jar. */
    static final class LabVersion extends Program.JarVersion {
        LabVersion() {
            super(Ic2HostLab.class);
        }
    }

    private Ic2HostLab() {
    }

    /** The command line, ready to be executed: our own verbs, then those of the product that we have not ourselves. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Ic2HostLab());
        Ic2Host.commandLine().getSubcommands().forEach((name, verb) -> {
            if (!line.getSubcommands().containsKey(name)) {
                line.addSubcommand(name, verb);
            }
        });
        return Program.explaining(line, Set.of());
    }

    public static void main(String[] arguments) {
        Program.main(Ic2HostLab::commandLine, arguments);
    }
}
