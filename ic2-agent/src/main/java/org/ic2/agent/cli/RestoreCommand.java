// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.concurrent.Callable;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ic2 restore}: the baseline by hand. */
@Command(name = "restore", mixinStandardHelpOptions = true,
        description = "Restores the baseline by hand, also when no agent runs and when the journal cannot be written. The"
                + " agent is then in manual mode until \"ic2 resume\", or for a time.")
final class RestoreCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Option(names = "--if-left", description = "Only what an agent that has ended changed and did not restore. Nothing is"
            + " done while one runs, or in manual mode. It does not enter manual mode.")
    private boolean ifLeft;

    @Mixin
    private ForOption lasting;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (ifLeft && lasting.time() != null) {
            throw new ParameterException(spec.commandLine(), "--if-left and --for exclude each other: --if-left does not enter manual mode");
        }
        return ifLeft ? ByHand.restoreIfLeft(config.load(), spec.commandLine())
                : ByHand.send(config.load(), AgentClient.request("restore", lasting.time()), spec.commandLine());
    }
}
