// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.ic2.agent.config.AgentConfig;
import org.ic2.knowledge.control.worth.EndedEpisode;
import org.ic2.knowledge.control.worth.WorthJson;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.cli.ReportVerb;
import org.ic2.runtime.cli.SinceTime;
import org.ic2.runtime.journal.JournalReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2 report}: what the agent was worth; works without a running agent. */
@Command(name = "report", mixinStandardHelpOptions = true,
        description = {"Shows what each time away from the baseline was worth, from the journal: CPU saved, demand without mitigation, users'"
            + " waiting avoided, and the age and parts that users paid; then the sums.",
            "What was not measured is said. Only mode act has such times; one that the end of the agent cut short has no line."})
final class ReportCommand extends ReportVerb {

    @Mixin
    private ConfigOption config;

    @Option(names = "--since", paramLabel = "TIME", defaultValue = "7d",
            description = "Only what ended after a time (2026-01-31T12:00:00Z) or within a duration. Default: ${DEFAULT-VALUE}.")
    private String since;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        Instant start = SinceTime.of(since);
        if (!Files.exists(loaded.journal())) {
            throw new IOException("no journal " + loaded.journal() + " yet: the agent has not run");
        }
        List<EndedEpisode> episodes = new ArrayList<>();
        new JournalReader(loaded.vocabulary().knobs()).whole(loaded.journal(), line -> line.entry().decision()
                .flatMap(decision -> WorthJson.read(decision.path("episode"))).filter(episode -> !episode.end().isBefore(start))
                .filter(episode -> !episodes.contains(episode)).ifPresent(episodes::add)).ifPresent(this::warn);
        EpisodeReport report = new EpisodeReport(start, episodes);
        show(report.json(), tree -> report.text().lines().map(DisplayText::clean).collect(Collectors.joining("\n", "", "\n")));
        return 0;
    }
}
