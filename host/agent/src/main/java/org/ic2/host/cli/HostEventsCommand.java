// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.util.Set;
import org.ic2.runtime.cli.EventsVerb;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ic2-host events}: the journal for people; works without a running agent. */
@Command(name = "events", mixinStandardHelpOptions = true, description = "Shows the journal: what was decided and done, and why.")
final class HostEventsCommand extends EventsVerb {

    @Mixin
    private HostFileOption config;

    @Override
    protected Source source() throws ConfigException {
        return new Source(config.load().journal(), Set.of());
    }
}
