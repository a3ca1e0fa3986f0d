// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ic2.host.config.HostConfig;
import org.ic2.host.loop.Rerun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ic2-host replay}: a recording decided again. */
@Command(name = "replay", mixinStandardHelpOptions = true,
        description = "Decides again on a recording, with the controllers of the file, and compares with what was decided then."
                + " Exit status 1 if anything differs.")
final class HostReplayCommand implements Callable<Integer> {

    @Mixin
    private HostFileOption config;

    @Parameters(paramLabel = "RECORDING", description = "What \"run --record\" wrote.")
    private Path recording;

    @Option(names = "--print", description = "Print what is decided, a line of JSON a turn.")
    private boolean print;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        HostConfig loaded = config.load();
        PrintWriter out = spec.commandLine().getOut();
        Rerun.Outcome outcome = Rerun.of(loaded, recording, line -> {
            if (print) {
                out.println(line);
            }
        });
        out.println(outcome.turns() + " turns, " + outcome.differing() + " decided otherwise"
                + (outcome.differing() == 0 ? "" : ", the first at " + outcome.first()));
        out.flush();
        return outcome.differing() == 0 ? 0 : Ic2Host.FAILED;
    }
}
