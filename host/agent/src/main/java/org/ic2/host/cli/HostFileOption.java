// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.runtime.cli.FileOption;
import org.ic2.runtime.yaml.ConfigException;

/** {@code -c FILE}, common to the verbs that need a host. */
final class HostFileOption extends FileOption<HostConfig> {

    HostFileOption() {
        super("/etc/ic2/host.yaml");
    }

    @Override
    public HostConfig load() throws ConfigException {
        return HostConfigReader.load(file());
    }
}
