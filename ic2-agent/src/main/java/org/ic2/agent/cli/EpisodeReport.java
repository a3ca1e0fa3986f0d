// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import org.ic2.knowledge.control.worth.EndedEpisode;
import org.ic2.knowledge.control.worth.EpisodeWorth;
import org.ic2.knowledge.control.worth.WorthJson;
import org.ic2.runtime.json.Json;

/**
 * What the episodes of a time were worth: each, and all together. Pure.
 *
 * @param since    earliest end
 * @param episodes that ended since then, oldest first
 */
record EpisodeReport(Instant since, List<EndedEpisode> episodes) {

    private EpisodeWorth sum() {
        return episodes.stream().map(EndedEpisode::worth).reduce(EpisodeWorth.none(), EpisodeWorth::plus);
    }

    ObjectNode json() {
        ObjectNode node = Json.object().put("since", since.toString());
        ArrayNode list = node.putArray("episodes");
        episodes.forEach(episode -> list.add(WorthJson.tree(episode)));
        node.set("sum", WorthJson.tree(sum()));
        return node;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        episodes.forEach(episode -> text.append(episode.begin()).append(' ').append(episode.describe()).append('\n'));
        return text.append(episodes.isEmpty() ? "no episode that was acted on ended since " + since
                : (episodes.size() == 1 ? "1 episode" : episodes.size() + " episodes") + " since " + since + ": " + sum().describe())
                .append('\n').toString();
    }
}
