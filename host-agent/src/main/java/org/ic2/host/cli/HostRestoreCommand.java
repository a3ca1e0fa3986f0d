// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.ic2.host.apply.Homecoming;
import org.ic2.host.config.HostConfig;
import org.ic2.host.loop.Standby;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.cli.DisplayText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2-host restore}: everything back as it was. */
@Command(name = "restore", mixinStandardHelpOptions = true,
        description = {"Puts everything back that was moved and is still as the agent left it, also when no agent runs and after"
            + " one was killed.",
            "A running agent then steps aside until \"ic2-host resume\"."})
final class HostRestoreCommand implements Callable<Integer> {

    @Mixin
    private HostFileOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        HostConfig loaded = config.load();
        AgentClient agent = new AgentClient(loaded.journal());
        if (agent.runs()) {
            return AgentClient.print(agent.ask(AgentClient.request("restore")), spec.commandLine());
        }
        Homecoming home = Standby.restore(loaded);
        PrintWriter out = spec.commandLine().getOut();
        out.println(DisplayText.clean(home.text()));
        out.flush();
        return home.isHome() ? 0 : Ic2Host.FAILED;
    }
}
