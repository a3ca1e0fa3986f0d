// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.host.loop.HostDaemon;
import org.ic2.runtime.cli.RunOptions;
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

    @Mixin
    private RunOptions options;

    @Option(names = "--record", paramLabel = "FILE",
            description = "Write what is measured and decided to a new file, a line of JSON a turn, for replay and discover.")
    private Path recording;

    @Override
    public Integer call() throws Exception {
        return HostDaemon.run(config.file(), options.begin(), Optional.ofNullable(recording)) ? 0 : Ic2Host.FAILED;
    }
}
