// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.agent.daemon.Daemon;
import org.ic2.runtime.cli.RunOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2 run}: the daemon. */
@Command(name = "run", mixinStandardHelpOptions = true,
        description = {"Runs the agent until SIGTERM or SIGINT, which restores the baseline.",
            "SIGHUP reads the configuration again; a bad one is reported and the old one kept."})
final class RunCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Mixin
    private RunOptions options;

    @Option(names = "--record", paramLabel = "FILE.csv", description = "Write all samples to a file.")
    private Path recording;

    @Override
    public Integer call() throws Exception {
        Daemon.run(ConfigOption.loader(), config.file(), options.begin(), Optional.ofNullable(recording));
        return 0;
    }
}
