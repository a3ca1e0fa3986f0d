// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.concurrent.Callable;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2 resume}: hands back to the agent. */
@Command(name = "resume", mixinStandardHelpOptions = true,
        description = "Lets the agent take over again after apply, restore or a change by someone else.")
final class ResumeCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        return ByHand.send(config.load(), AgentClient.request("resume"), spec.commandLine());
    }
}
