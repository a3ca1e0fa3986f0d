// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The mitigation levels that do something on this site. Pure.
 *
 * @param levels in their order; empty: nothing that the agent could do helps here
 * @param why    of each level that is left out, why
 */
public record LadderLevels(List<Integer> levels, List<String> why) {

    static LadderLevels of(SiteFacts facts, List<TriedApplication> applications) {
        List<Integer> levels = new ArrayList<>();
        List<String> why = new ArrayList<>();
        decide(levels, why, facts.online(), "level 1 (cheap compression) needs the patched httpd", 1);
        boolean stores = applications.stream().anyMatch(each -> each.application().cacheable());
        boolean brownout = applications.stream().anyMatch(TriedApplication::brownout);
        decide(levels, why, facts.online() || stores || brownout || facts.config().all("standbycrawlers").findAny().isPresent(),
                "level 2 (crawlers come back later), as no other level does anything; a line StandbyCrawlers in httpd's configuration"
                        + " brings it in", 2);
        decide(levels, why, stores, "levels 3 and 4 (pages from the store) need pages that may be stored", 3, 4);
        decide(levels, why, applications.stream().anyMatch(each -> each.application().cacheable()
                && !each.application().cookies().known().isEmpty()),
                "level 5 (known visitors as anonymous ones) needs stored pages and known-cookies of the application", 5);
        decide(levels, why, brownout, "level 6 (without optional parts) needs an application that can leave some out", 6);
        return new LadderLevels(List.copyOf(levels), List.copyOf(why));
    }

    private static void decide(List<Integer> levels, List<String> why, boolean does, String otherwise, Integer... which) {
        if (does) {
            levels.addAll(List.of(which));
        } else {
            why.add(otherwise);
        }
    }

    /** True if the agent can only observe here. */
    public boolean isEmpty() {
        return levels.isEmpty();
    }

    int highest() {
        return levels.isEmpty() ? 0 : levels.get(levels.size() - 1);
    }

    /** For people. */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        lines.add(levels.isEmpty() ? "EMPTY: no mitigation level does anything on this site, so the agent can only observe"
                : (levels.size() == 1 ? "level " : "levels ") + levels.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        why.forEach(reason -> lines.add("without " + reason));
        return lines;
    }
}
