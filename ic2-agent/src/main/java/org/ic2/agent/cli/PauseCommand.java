// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.concurrent.Callable;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2 pause}: the agent goes into manual mode and leaves everything as it is. */
@Command(name = "pause", mixinStandardHelpOptions = true,
        description = "The agent leaves all values as they are and changes nothing until \"ic2 resume\", or for a time. It goes on measuring.")
final class PauseCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Mixin
    private ForOption lasting;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        return ByHand.send(config.load(), AgentClient.request("pause", lasting.time()), spec.commandLine());
    }
}
