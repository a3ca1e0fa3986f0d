// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.junit.jupiter.api.Test;

/**
 * The tables of docs/metrics.md are made from the code: {@code mvn -pl ic2-agent -am test -Dtest=MetricsPageTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dic2.write=true} writes them.
 */
class MetricsPageTest {

    private static final Path PAGE = Path.of("../docs/metrics.md");
    private static final Path ALERTS = Path.of("../dashboards/alerts.yml");
    private static final Pattern NAME = Pattern.compile("\\b(?:ic2|httpd_online|process)_[a-z0-9_]+");
    private static final Pattern SCENARIO = Pattern.compile("IC2-\\d+");

    private final List<Metrics.Described> metrics;

    MetricsPageTest() throws Exception {
        AgentConfig config = MetricsTest.baseline(650);
        metrics = new Metrics(new AgentStatus(System::nanoTime), () -> config).described();
    }

    private static boolean ofQuantity(Metrics.Described metric) {
        return metric.name().matches("ic2_(sample|median)_.*");
    }

    private String table(Predicate<Metrics.Described> which) {
        return metrics.stream().filter(which).map(metric -> "| `" + metric.name() + "` | " + metric.type() + " | "
                + metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", ")) + " | " + metric.help() + " |\n")
                .collect(Collectors.joining("", "| metric | type | labels | meaning |\n|---|---|---|---|\n", ""));
    }

    private static String quantities() {
        return Arrays.stream(Metric.values()).map(metric -> {
            MetricName name = MetricName.of(metric);
            return "| `" + metric.column() + "` | `ic2_sample_" + name.text() + "` | "
                    + (Attribute.LEARNED.contains(metric) ? "`ic2_median_" + name.text() + "`" : "") + " |\n";
        }).collect(Collectors.joining("", "| column | last interval, label `member` | median without interference |\n|---|---|---|\n", ""));
    }

    /** Harm and its cause, who is turned away, and what mitigation was worth. */
    @Test
    void whatConcernsUsersHasAPanel() throws Exception {
        List<String> names = metrics.stream().map(Metrics.Described::name).filter(name -> name.matches(
                "ic2_(harm.*|turned_away_requests_total|ended_episodes_total|saved_.*|avoided_.*|mitigation_stored_.*|without_parts_.*)")).toList();
        assertThat(names).hasSize(8);
        assertThat(Files.readString(Path.of("../dashboards/tier.json"))).contains(names.stream().map(name -> name + "{").toList());
        assertThat(Files.readString(Path.of("../dashboards/fleet.json"))).contains("ic2_harm{");
    }

    private static String with(String page, String mark, String table) {
        return page.replaceFirst("(?s)(<!-- " + mark + " -->\n).*?(<!-- end -->)", "$1" + Matcher.quoteReplacement(table) + "$2");
    }

    @Test
    void theTablesAreThoseOfTheCode() throws Exception {
        String page = Files.readString(PAGE);
        String made = with(with(page, "metrics", table(metric -> !ofQuantity(metric))), "quantities", quantities());
        if (Boolean.getBoolean("ic2.write")) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE)).as("written anew with -Dic2.write=true").isEqualTo(made);
        assertThat(made).contains("`ic2_requests_total`").contains("`ic2_sample_response_time_seconds`");
    }

    @Test
    void alertsAskForWhatThereIs() throws Exception {
        Set<String> known = metrics.stream().map(Metrics.Described::name).collect(Collectors.toCollection(TreeSet::new));
        String alerts = Files.readString(ALERTS);
        List<String> asked = NAME.matcher(alerts).results().map(match -> match.group()).toList();
        assertThat(asked).isNotEmpty().isSubsetOf(known);
        Set<String> scenarios = Arrays.stream(Scenario.values()).map(Scenario::id).collect(Collectors.toSet());
        assertThat(SCENARIO.matcher(alerts).results().map(match -> match.group()).toList()).isNotEmpty().isSubsetOf(scenarios);
    }
}
