// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ic2 check}: the truth about every sensor and actuator. */
@Command(name = "check", mixinStandardHelpOptions = true,
        description = {"Validates the configuration, then asks every sensor and actuator once and says what it sees.",
            "Changes nothing, but with --ladder. Exit status 1 when something that the mode needs is missing."})
final class CheckCommand implements Callable<Integer> {

    private static final Duration SENSOR_DEADLINE = Duration.ofSeconds(12);

    @Mixin
    private ConfigOption config;

    @Option(names = "--mode", paramLabel = "MODE", description = "Check for this mode instead of the file's.")
    private String mode;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(names = "--haproxy", paramLabel = "FILE", arity = "0..1", fallbackValue = "", description = {
        "Also read this haproxy.cfg, a copy of the load balancer's: whether it asks this server for its share, and heeds the answer.",
        "Without a FILE HAProxy's statistics are asked, where the sensor haproxy or the actuator says that they are."})
    private Path haproxy;

    @ArgGroup(exclusive = false)
    private Trial trial;

    /** What the trial of the ladder looks at. */
    static final class Trial {
        @Option(names = "--ladder", paramLabel = "URL", required = true,
                description = {"Also put each rung of the ladder in force for a moment, look at this page as visitors do,"
                    + " and restore the baseline. Not while an agent runs. Give a page that anonymous visitors see."})
        private String page;

        @Option(names = "--cookie", paramLabel = "NAME=VALUE",
                description = "Look at the page as somebody with this cookie, too, who must never be taken for anonymous.")
        private String cookie;

        URI uri() {
            try {
                URI uri = new URI(page);
                if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme()) && uri.getFragment() == null) {
                    return uri;
                }
            } catch (URISyntaxException e) {
                // said below
            }
            throw new IllegalArgumentException("--ladder: expected the URL of a page, such as http://localhost/, got \""
                    + page + "\"");
        }
    }

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
        Optional<URI> page = page();
        List<Checkup.Finding> findings = new ArrayList<>(new Checkup(loaded, SENSOR_DEADLINE).findings());
        if (haproxy != null) {
            findings.addAll(haproxy.toString().isEmpty() ? new HaproxyStatisticsCheck(loaded).findings()
                    : new HaproxyCheck(loaded, haproxy).findings());
        }
        if (page.isPresent()) {
            findings.addAll(new LadderTrial(loaded, page.get(), Optional.ofNullable(trial.cookie)).findings());
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ArrayNode list = new JsonMapper().createArrayNode();
            findings.forEach(finding -> list.addObject().put("ok", finding.ok()).put("needed", finding.needed())
                    .put("what", finding.what()).put("text", finding.text()));
            out.println(list.toPrettyString());
        } else {
            findings.forEach(finding -> out.printf("%-7s %-18s %s%n",
                    finding.ok() ? "ok" : finding.needed() ? "MISSING" : "missing", DisplayText.clean(finding.what()),
                    DisplayText.clean(finding.text())));
        }
        out.flush();
        return findings.stream().anyMatch(finding -> !finding.ok() && finding.needed()) ? Ic2.FAILED : 0;
    }

    private Optional<URI> page() {
        try {
            return Optional.ofNullable(trial).map(Trial::uri);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
