// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import java.util.Optional;
import org.ic2.runtime.daemon.Logging;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --mode} and {@code --verbose} of the verb that runs an agent. */
public final class RunOptions {

    @Option(names = "--mode", paramLabel = "MODE",
            description = "observe: only measure; advise: also say what it would do; act: do it. Default: the mode in"
                    + " the file, and advise if the file is silent.")
    private String mode;

    @Option(names = {"-v", "--verbose"}, description = "Log more; without it only changes and faults are logged.")
    private boolean verbose;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Sets up the log, and says which mode was named, if any. */
    public Optional<Mode> begin() throws ConfigException {
        Logging.configure(spec.root().name(), verbose);
        try {
            return Optional.ofNullable(mode).map(Mode::parse);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--mode: " + e.getMessage(), e);
        }
    }
}
