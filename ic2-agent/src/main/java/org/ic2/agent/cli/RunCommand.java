// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.runtime.daemon.Logging;
import org.ic2.runtime.loop.Mode;
import org.ic2.agent.daemon.Daemon;
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

    @Option(names = "--mode", paramLabel = "MODE",
            description = "observe: only measure; advise: also say what it would do; act: do it. Default: the mode in"
                    + " the file, and advise if the file is silent.")
    private String mode;

    @Option(names = "--record", paramLabel = "FILE.csv", description = "Write all samples to a file.")
    private Path recording;

    @Option(names = {"-v", "--verbose"}, description = "Log more; without it only changes and faults are logged.")
    private boolean verbose;

    @Override
    public Integer call() throws Exception {
        Logging.configure("ic2", verbose);
        Optional<Mode> chosen;
        try {
            chosen = Optional.ofNullable(mode).map(Mode::parse);
        } catch (IllegalArgumentException e) {
            throw new org.ic2.runtime.yaml.ConfigException("--mode: " + e.getMessage(), e);
        }
        Daemon.run(ConfigOption.loader(), config.file(), chosen, Optional.ofNullable(recording));
        return 0;
    }
}
