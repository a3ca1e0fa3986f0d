// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2 status}: the running agent at a glance. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = "Shows label, state, medians, running and baseline values and the last decisions of the running agent.")
final class StatusCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        JsonNode status = new AgentClient(loaded.journal()).status();
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? status.toPrettyString() + "\n" : StatusText.of(status, loaded.vocabulary().knobs()));
        out.flush();
        return 0;
    }
}
