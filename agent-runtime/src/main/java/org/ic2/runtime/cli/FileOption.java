// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import java.nio.file.Path;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Option;

/**
 * {@code -c FILE}, common to the verbs that need a configuration.
 *
 * @param <C> what is in it
 */
public abstract class FileOption<C> {

    @Option(names = {"-c", "--config"}, paramLabel = "FILE", description = "Configuration file; default ${DEFAULT-VALUE}.")
    private Path file;

    /** @param usual the file when none is named */
    protected FileOption(String usual) {
        file = Path.of(usual);
    }

    /** The file that was named. */
    public final Path file() {
        return file;
    }

    /** What it says. */
    public abstract C load() throws ConfigException;
}
