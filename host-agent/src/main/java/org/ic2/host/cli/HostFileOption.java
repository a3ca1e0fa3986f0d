// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.nio.file.Path;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Option;

/** {@code -c FILE}, common to the verbs that need a host. */
final class HostFileOption {

    static final String DEFAULT = "/etc/ic2/host.yaml";

    @Option(names = {"-c", "--config"}, paramLabel = "FILE", defaultValue = DEFAULT,
            description = "Configuration file; default ${DEFAULT-VALUE}.")
    private Path file;

    Path file() {
        return file;
    }

    HostConfig load() throws ConfigException {
        return HostConfigReader.load(file);
    }
}
