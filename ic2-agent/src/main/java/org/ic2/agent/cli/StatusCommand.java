// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.cli.ReportVerb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ic2 status}: the running agent at a glance. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = "Shows label, state, medians, running and baseline values and the last decisions of the running agent.")
final class StatusCommand extends ReportVerb {

    @Mixin
    private ConfigOption config;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        show(new AgentClient(loaded.journal()).status(), status -> StatusText.of(status, loaded.vocabulary().knobs()));
        return 0;
    }
}
