// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.util.concurrent.Callable;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2-host resume}: hands back to the agent. */
@Command(name = "resume", mixinStandardHelpOptions = true,
        description = "Lets the running agent take over again after restore, and whatever knobs it has given up.")
final class HostResumeCommand implements Callable<Integer> {

    @Mixin
    private HostFileOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        AgentClient agent = new AgentClient(config.load().journal());
        return AgentClient.print(agent.ask(AgentClient.request("resume")), spec.commandLine());
    }
}
