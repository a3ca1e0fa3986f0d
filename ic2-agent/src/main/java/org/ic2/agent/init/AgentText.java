// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The agent's configuration for what is found, with the reason of each figure. Pure. */
final class AgentText {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:-]*");

    private static final List<String> MEANINGS = List.of("cheap compression", "bots are asked to come back later",
            "anonymous visitors get pages from the store, at most 60 s old", "the same, at most 300 s old",
            "visitors who are known by name only are served as anonymous", "the application leaves out optional parts");

    private final Planner planner;
    private final SiteFacts facts;
    private final boolean online;

    AgentText(Planner planner) {
        this.planner = planner;
        this.facts = planner.facts();
        this.online = facts.online();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of("# SPDX-License-Identifier: Apache-2.0",
                "# Written by ic2 init for " + planner.describe() + ", behind httpd " + facts.build().version() + " ("
                + facts.build().mpm() + ").",
                "# It is yours to edit; docs/configuration.md explains every key, and ic2 check says what is missing.",
                "application: " + planner.application().id(),
                "mode: advise                     # says what it would do; \"act\" does it",
                "members:", "  web:", "    role: web", "    sensors:",
                "      # pages alone: with static files among them a mean says nothing of what visitors wait for",
                "      pages:    {type: access-log, file: " + planner.log()
                + ", format: '" + planner.logFormat() + "', exclude: [static, \"/server-status\"]}",
                "      httpd:    {type: mod-status, url: \"" + planner.statusUrl() + "\"}",
                "      queue:    {type: accept-queue, port: " + planner.port() + "}",
                "      network:  {type: network}"));
        lines.addAll(facts.surroundings().container().isEmpty() ? List.of("      system:   {type: sysstat}")
                : List.of("      # of this container alone: /proc/stat, and sysstat with it, would show its neighbours' CPU too",
                "      system:   {type: cgroup, path: " + facts.surroundings().container() + "}"));
        if (facts.surroundings().pressure()) {
            lines.add("      pressure: {type: psi}");
        }
        facts.pools().stream().filter(pool -> PLAIN.matcher(pool.statusListen() + pool.statusPath()).matches()
                && !pool.statusListen().isEmpty()).limit(1).forEach(pool ->
                lines.add("      php:      {type: php-fpm, status-listen: \"" + pool.statusListen() + "\""
                        + (pool.statusPath().isEmpty() ? "" : ", status-path: \"" + pool.statusPath() + "\"") + "}"));
        lines.add("    actuators:");
        lines.addAll(online ? variables() : map());
        facts.neverQuiet().ifPresent(line -> lines.addAll(List.of(
                "# The host took " + Math.round(100 * facts.surroundings().steal()) + " % of the CPU since the start. If it is always so, this is what is normal here:",
                "# " + line)));
        lines.addAll(acts());
        lines.addAll(List.of("target-response-time: 0.5s       # as your users feel it: nothing is done at or below it",
                "target-response-time-of: p95", "http:     {listen: \"127.0.0.1:" + planner.ownPort() + "\"}"));
        return lines;
    }

    private String wall() {
        return planner.wall() ? ", wall: true" : "";
    }

    /** The wall goes up for causes that act names. */
    private List<String> acts() {
        return planner.wall() ? List.of("# the wall goes up against crawlers, and for nobody else until you name more causes; docs/causes.md",
                "act:      [neighbour, crawlers]") : List.of();
    }

    private List<String> map() {
        List<String> lines = new ArrayList<>(List.of("      ladder:   {type: httpd-map, file: " + Planner.MAP + wall() + "}",
                "# httpd as it runs: MaxRequestWorkers " + planner.limit().workers() + " and KeepAliveTimeout "
                + planner.limit().keepAlive() + " stay, which without a patch no",
                "# server changes while it runs. Level 0 is httpd as it was.",
                "baseline: {mitigation: 0}",
                "bounds:   {mitigation: [0, " + planner.levels().highest() + "]}"));
        lines.addAll(ladder());
        return lines;
    }

    /** Only levels that do something here. */
    private List<String> ladder() {
        List<Integer> levels = planner.levels().levels();
        List<String> lines = new ArrayList<>(List.of(levels.isEmpty() ? "# The ladder is empty: no mitigation level does anything on this site."
                : "# Each level of the ladder does something on this site:"));
        for (int level : levels) {
            lines.add("#   " + level + "  " + MEANINGS.get(level - 1));
        }
        planner.levels().why().forEach(why -> lines.add("# without " + why));
        lines.add("ladder:   [" + levels.stream().map(level -> "{mitigation: " + level + "}").collect(Collectors.joining(", ")) + "]");
        return lines;
    }

    private List<String> variables() {
        Limit limit = planner.limit();
        List<String> lines = new ArrayList<>(List.of("      httpd:    {type: httpd-online, helper: /run/ic2/reconfigure.sock,"
                + " status-url: \"" + planner.statusUrl() + "\"" + wall() + "}",
                "# What runs now is taken for your optimum.",
                "baseline: {max-request-workers: " + limit.workers() + ", keep-alive-timeout: " + limit.keepAlive()
                + ", mitigation: 0}",
                "# MaxRequestWorkers never above what runs, which your memory carries, nor below half of it, in whole processes;",
                "# KeepAliveTimeout up to 30 s, what a browser's connection is good for.",
                "bounds:   {max-request-workers: [" + limit.fewest() + ", " + limit.workers() + "], keep-alive-timeout: ["
                + limit.keepAlive() + ", " + limit.longest() + "], mitigation: [0, " + planner.levels().highest() + "]}",
                "# MaxRequestWorkers stays out until you know how many users are connected: \"The trap\" in docs/operations.md.",
                "levers:   [mitigation, keep-alive-timeout" + (planner.wall() ? ", wall" : "") + "]"));
        lines.addAll(ladder());
        return lines;
    }
}
