// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.config.AgentConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2 watch}: the status, once a second, until interrupted. */
@Command(name = "watch", mixinStandardHelpOptions = true,
        description = "Shows the status of the running agent live, until you press Ctrl-C.")
final class WatchCommand implements Callable<Integer> {

    private static final String CLEAR = "\u001b[H\u001b[2J";

    @Mixin
    private ConfigOption config;

    @Option(names = "--count", paramLabel = "N", description = "Stop after N turns; default: never.")
    private long count = Long.MAX_VALUE;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        AgentClient client = new AgentClient(loaded);
        PrintWriter out = spec.commandLine().getOut();
        for (long turn = 0; turn < count; turn++) {
            if (turn > 0) {
                TimeUnit.SECONDS.sleep(1);
            }
            String text;
            try {
                text = StatusText.of(client.status(), loaded.vocabulary().knobs());
            } catch (IOException e) {
                if (turn == 0) {
                    throw e;
                }
                text = e.getMessage() + System.lineSeparator();
            }
            out.print(CLEAR + text);
            out.flush();
        }
        return 0;
    }
}
