// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.crawl.Crawl;
import org.ic2.agent.crawl.CrawlLimits;
import org.ic2.agent.crawl.CrawlResult;
import org.ic2.agent.crawl.WebSite;
import org.ic2.agent.tenant.LadderCheck;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ic2 check}: the truth about every sensor and actuator, and about a site as strangers see it. */
@Command(name = "check", mixinStandardHelpOptions = true,
        description = {"Validates the configuration, then asks every sensor and actuator once and says what it sees.",
            "Changes nothing, but with --ladder. A line begins with \"ok\"; with \"MISSING\" for what the mode cannot do without; or with"
            + " \"note\" for what it can."},
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:Nothing is missing.", "1:Something is MISSING, or the check itself failed.", "2:The command line or the configuration is wrong.",
            "3:The ladder is empty. With --ladder: no level does anything that shows on the page, whatever else is MISSING. Else: the"
            + " configuration has no level, and nothing is MISSING."})
final class CheckCommand implements Callable<Integer> {

    /** The exit status where the ladder is empty. */
    static final int EMPTY_LADDER = 3;

    private static final Duration SENSOR_DEADLINE = Duration.ofSeconds(12);
    private static final int EXAMPLES = 10;

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

    @Option(names = "--ladder", paramLabel = "URL", description = {"Also put each mitigation level in force for a moment, look at this page as"
        + " visitors do, and restore the baseline. Not while an agent runs. Give a page that anonymous visitors see."})
    private String page;

    @Option(names = "--cookie", paramLabel = "NAME=VALUE", description = {"With --ladder: look at the page as the owner of this cookie, too, who"
        + " must never be taken for a stranger. Give all cookies of one person: --cookie A=1 --cookie B=2, or \"A=1; B=2\"."})
    private List<String> cookies = List.of();

    @Option(names = "--crawl", paramLabel = "URL", description = {"Also follow the site's own links from this page, as two strangers with an address"
        + " and a browser each, and compare what they get: at most 200 pages and 60 s, GET only, one request at a time, never off the site.",
        "Says which pages would be stored, which differ and where, set cookies, or are private. Works for any web server, and without a"
        + " configuration."})
    private String site;

    @Option(names = "--at", paramLabel = "ADDRESS[:PORT]", description = {"With --ladder and --crawl: connect there instead of the URL's host; what"
        + " is asked for stays the URL."})
    private String at;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Optional<URI> tried = url("--ladder", page);
        Optional<URI> crawled = url("--crawl", site);
        checkOptions();
        List<Checkup.Finding> findings = new ArrayList<>();
        boolean empty = false;
        Optional<AgentConfig> known = Optional.empty();
        try {
            AgentConfig loaded = loaded();
            known = Optional.of(loaded);
            findings.addAll(new Checkup(loaded, SENSOR_DEADLINE).findings());
            if (haproxy != null) {
                findings.addAll(haproxy.toString().isEmpty() ? new HaproxyStatisticsCheck(loaded).findings()
                        : new HaproxyCheck(loaded, haproxy).findings());
            }
            if (tried.isPresent()) {
                LadderTrial trial = new LadderTrial(loaded, tried.get(), cookies, Optional.ofNullable(at), LadderCommand.known());
                findings.addAll(trial.findings());
                empty = trial.isEmpty();
            }
        } catch (ConfigException e) {
            if (crawled.isEmpty() || tried.isPresent() || haproxy != null || mode != null) {
                throw e;
            }
            findings.add(new Checkup.Finding(false, false, "configuration", e.getMessage() + "; only the crawl is done"));
        }
        if (crawled.isPresent()) {
            findings.addAll(crawl(crawled.get(), new ApplicationCheck(LadderCommand.known(), known.map(AgentConfig::application))));
        }
        print(findings);
        return empty ? EMPTY_LADDER : status(findings, known);
    }

    /** The exit status but for a trial. */
    static int status(List<Checkup.Finding> findings, Optional<AgentConfig> known) {
        boolean missing = findings.stream().anyMatch(finding -> !finding.ok() && finding.needed());
        return missing ? Ic2.FAILED : known.flatMap(loaded -> LadderCheck.problem(loaded.policy())).isPresent() ? EMPTY_LADDER : 0;
    }

    private AgentConfig loaded() throws ConfigException {
        AgentConfig loaded = config.load();
        try {
            return mode == null ? loaded : loaded.withMode(Mode.parse(mode));
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--mode: " + e.getMessage(), e);
        }
    }

    private List<Checkup.Finding> crawl(URI start, ApplicationCheck application) throws InterruptedException {
        try {
            CrawlResult result = new Crawl(CrawlLimits.whole(), application).of(start, Optional.ofNullable(at));
            List<Checkup.Finding> findings = new CrawlFindings(result, application.application(result),
                    json ? Integer.MAX_VALUE : EXAMPLES).findings();
            findings.addAll(application.of(result));
            return findings;
        } catch (IOException e) {
            return List.of(new Checkup.Finding(false, true, "crawl", e.getMessage()));
        }
    }

    private void print(List<Checkup.Finding> findings) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ArrayNode list = new JsonMapper().createArrayNode();
            findings.forEach(finding -> list.addObject().put("word", finding.word()).put("ok", finding.ok()).put("needed", finding.needed())
                    .put("what", finding.what()).put("text", finding.text()));
            out.println(list.toPrettyString());
        } else {
            findings.forEach(finding -> out.printf("%-7s %-18s %s%n", finding.word(), DisplayText.clean(finding.what()),
                    DisplayText.clean(finding.text())));
        }
        out.flush();
    }

    private void checkOptions() {
        for (String cookie : cookies) {
            if (!cookie.matches("[^=;\\s]+=[^;\\p{Cntrl}]*(?:;\\s*[^=;\\s]+=[^;\\p{Cntrl}]*)*;?\\s*")) {
                throw new ParameterException(spec.commandLine(), "--cookie: expected NAME=VALUE, or several as \"A=1; B=2\", got \"" + cookie + "\"");
            }
        }
        if (!cookies.isEmpty() && page == null) {
            throw new ParameterException(spec.commandLine(), "--cookie needs --ladder URL");
        }
        if (at != null && page == null && site == null) {
            throw new ParameterException(spec.commandLine(), "--at needs --ladder URL or --crawl URL");
        }
    }

    private Optional<URI> url(String option, String url) {
        try {
            return Optional.ofNullable(url).map(WebSite::page);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
