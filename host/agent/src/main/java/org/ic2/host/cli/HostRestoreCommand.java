// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.host.apply.RestoreMarker;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.loop.StartupRestore;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2-host restore}: everything back as it was. */
@Command(name = "restore", mixinStandardHelpOptions = true,
        description = {"Puts everything back that was moved and is still as the agent left it, also when no agent runs and after"
            + " one was killed.",
            "It needs the file only where nothing says what was moved, and how; what is wrong in it is said afterwards.",
            "A running agent is then in manual mode until \"ic2-host resume\"."})
final class HostRestoreCommand implements Callable<Integer> {

    private static final RestoreResult NOTHING = new RestoreResult(List.of(), List.of(), List.of());

    @Mixin
    private HostFileOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        RestoreMarker mark = RestoreMarker.of(config.file());
        Optional<Path> marked = mark.journal();
        // first what was moved, whatever the file says by now
        int status = marked.isEmpty() ? 0 : restore(marked.get(), Optional.of(mark), false);
        Path journal = config.load().journal();
        if (marked.isEmpty()) {
            return restore(journal, Optional.of(mark), false);
        }
        return RestoreMarker.same(marked.get(), journal) ? status : Math.max(status, restore(journal, Optional.empty(), true));
    }

    /** @param more true where nothing is not worth a word */
    private int restore(Path journal, Optional<RestoreMarker> mark, boolean more) throws IOException, ConfigException, InterruptedException {
        AgentClient agent = new AgentClient(journal);
        if (agent.runs()) {
            return AgentClient.print(agent.ask(AgentClient.request("restore")), spec.commandLine());
        }
        RestoreResult result = StartupRestore.restore(journal, mark, () -> config.load().backend());
        if (!more || !result.equals(NOTHING)) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(DisplayText.clean(result.text()));
            out.flush();
        }
        return result.isAtBaseline() ? 0 : Ic2Host.FAILED;
    }
}
