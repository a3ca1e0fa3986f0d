// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.host.loop.HostDaemon;
import org.ic2.runtime.daemon.Logging;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-host run}: the daemon. */
@Command(name = "run", mixinStandardHelpOptions = true,
        description = {"Runs the agent until SIGTERM or SIGINT, which put everything back.",
            "SIGHUP puts everything back and begins with the file read again; a bad one is reported and the old one kept."})
final class HostRunCommand implements Callable<Integer> {

    @Mixin
    private HostFileOption config;

    @Option(names = "--mode", paramLabel = "MODE",
            description = "observe: only measure; advise: also say what it would do; act: do it. Default: the mode in"
                    + " the file, and advise if the file is silent.")
    private String mode;

    @Option(names = "--record", paramLabel = "FILE",
            description = "Write what is measured and decided to a new file, a line of JSON a turn, for replay and discover.")
    private Path recording;

    @Option(names = {"-v", "--verbose"}, description = "Log more; without it only changes and faults are logged.")
    private boolean verbose;

    @Override
    public Integer call() throws Exception {
        Logging.configure("ic2-host", verbose);
        Optional<Mode> chosen;
        try {
            chosen = Optional.ofNullable(mode).map(Mode::parse);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--mode: " + e.getMessage(), e);
        }
        return HostDaemon.run(config.file(), chosen, Optional.ofNullable(recording)) ? 0 : Ic2Host.FAILED;
    }
}
