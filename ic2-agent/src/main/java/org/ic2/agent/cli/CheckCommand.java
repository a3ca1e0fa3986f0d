// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2 check}: the truth about every sensor and actuator. */
@Command(name = "check", mixinStandardHelpOptions = true,
        description = {"Validates the configuration, then asks every sensor and actuator once and says what it sees.",
            "Changes nothing. Exit status 1 when something that the mode needs is missing."})
final class CheckCommand implements Callable<Integer> {

    private static final Duration SENSOR_DEADLINE = Duration.ofSeconds(12);

    @Mixin
    private ConfigOption config;

    @Option(names = "--mode", paramLabel = "MODE", description = "Check for this mode instead of the file's.")
    private String mode;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        try {
            loaded = mode == null ? loaded : loaded.withMode(Mode.parse(mode));
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--mode: " + e.getMessage(), e);
        }
        List<Checkup.Finding> findings = new Checkup(loaded, SENSOR_DEADLINE).findings();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ArrayNode list = new JsonMapper().createArrayNode();
            findings.forEach(finding -> list.addObject().put("ok", finding.ok()).put("needed", finding.needed())
                    .put("what", finding.what()).put("text", finding.text()));
            out.println(list.toPrettyString());
        } else {
            findings.forEach(finding -> out.printf("%-7s %-18s %s%n",
                    finding.ok() ? "ok" : finding.needed() ? "MISSING" : "missing", finding.what(), finding.text()));
        }
        out.flush();
        return findings.stream().anyMatch(finding -> !finding.ok() && finding.needed()) ? Ic2.FAILED : 0;
    }
}
