// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2 restore}: the baseline by hand. */
@Command(name = "restore", mixinStandardHelpOptions = true,
        description = "Restores the baseline by hand. The agent then steps aside until \"ic2 resume\".")
final class RestoreCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        return ByHand.send(config.load(), AgentClient.request("restore"), spec.commandLine().getOut());
    }
}
