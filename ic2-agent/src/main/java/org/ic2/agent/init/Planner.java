// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.agent.application.HeaderNames;
import org.ic2.agent.application.LadderLines;
import org.ic2.agent.application.WebApplication;

/** From what is found to files and steps. Pure: for the same facts the same plan. Only for facts of which nothing is missing. */
public final class Planner {

    static final String CONFIG = "/etc/ic2/ic2.yaml";
    static final String MAP = "/var/lib/ic2/ladder/mitigation.map";
    /** What the agent needs of a request, and nothing by which a visitor is known. */
    static final String LOG_FORMAT = "%m %U %>s \"%{cache-status}e\" \"%<{cache-status}e\" %{ic2_member}e %D";
    /** By which crawlers are told from a surge, as httpd's own log has it. */
    static final String WHO = "%h \"%{User-Agent}i\" ";
    private static final String CONFS = "/etc/apache2/conf-available/";
    private static final String STATUS = "ic2-status";
    private static final String MITIGATION = "ic2-mitigation";
    private static final String TUNABLES = CONFS + "ic2-tunables.conf";
    private static final int STATUS_PORT = 8088;
    private static final int OWN_PORT = 9464;
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    private final SiteFacts facts;
    private final String docs;
    private final List<TriedApplication> applications;
    private final LadderLevels levels;
    private final Limit limit;
    private final boolean wall;

    /**
     * @param applications those of the facts, after a look at them; at least one
     * @param docs         the directory of status.conf
     * @param wall         whether there is to be a wall against crawlers
     */
    public Planner(SiteFacts facts, List<TriedApplication> applications, String docs, boolean wall) {
        this.facts = facts;
        this.docs = docs;
        this.applications = List.copyOf(applications);
        this.levels = LadderLevels.of(facts, applications);
        this.limit = Limit.of(facts);
        this.wall = wall;
    }

    public InitPlan plan() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put(CONFS + STATUS + ".conf", text(statusLines()));
        if (facts.online()) {
            List<String> tunables = new ArrayList<>(List.of("# SPDX-License-Identifier: Apache-2.0",
                    "# Written by ic2 init: what runs. \"apachectl -k reconfigure\" changes these lines; docs/httpd-online.md.",
                    "MaxRequestWorkers " + limit.workers(), "KeepAliveTimeout " + limit.directive(),
                    "ReconfigureVariable MITIGATION 0"));
            if (wall) {
                tunables.add("ReconfigureVariable " + LadderLines.FLAG + " 0");
            }
            files.put(TUNABLES, text(tunables));
        }
        files.put(CONFS + MITIGATION + ".conf", text(ladderLines()));
        files.put(CONFIG, text(new AgentText(this).lines()));
        List<String> units = facts.surroundings().systemd() && facts.online() ? List.of("ic2-reconfigure.socket") : List.of();
        return new InitPlan(facts.apachectl(), facts.dump().pidFile(), facts.running(), statusUrl(),
                LadderLines.MODULES.stream().filter(module -> !facts.dump().has(module)).toList(), List.of(STATUS, MITIGATION), files, units,
                LadderLines.STORE, log());
    }

    private static String text(List<String> lines) {
        return String.join("\n", lines) + "\n";
    }

    private List<String> statusLines() {
        return List.of("# SPDX-License-Identifier: Apache-2.0",
                "# Written by ic2 init, which takes it back with --remove: for the agent, the status page on this machine and the time",
                "# that each page took.",
                "Define STATUS_PORT " + statusPort(),
                "<IfFile \"" + docs + "/status.conf\">", "Include \"" + docs + "/status.conf\"", "</IfFile>",
                "GlobalLog \"" + log() + "\" \"" + logFormat().replace("\"", "\\\"") + "\"");
    }

    private List<String> ladderLines() {
        List<String> lines = new ArrayList<>(List.of("# SPDX-License-Identifier: Apache-2.0",
                "# Written by ic2 init, which takes it back with --remove; docs/applications.md explains it."));
        if (facts.online()) {
            lines.add("# the distribution's own httpd in the place of this one starts, too, at level 0");
            lines.add("<IfDirective ReconfigureFile>");
            lines.add("ReconfigureFile \"" + TUNABLES + "\"");
            lines.add("Include \"" + TUNABLES + "\"");
            lines.add("</IfDirective>");
        }
        lines.add("# httpd starts without the ladder where the module or an application is gone");
        lines.add("<IfModule standby_module>");
        lines.addAll(new LadderLines(facts.online() ? Optional.empty() : Optional.of(MAP), headers(), wall)
                .server(applications.stream().map(TriedApplication::application).toList()));
        for (TriedApplication each : applications) {
            each.seen().forEach(line -> lines.add("# seen: " + plain(line)));
            lines.add("<IfFile \"" + each.placed().frontController() + "\">");
            lines.addAll(LadderLines.directory(each.placed()));
            lines.add("</IfFile>");
        }
        lines.add("</IfModule>");
        return lines;
    }

    /** In a comment of httpd's configuration: one line that no backslash continues. */
    private static String plain(String line) {
        return line.replaceAll("\\p{Cntrl}", " ").replaceAll("\\\\+$", "");
    }

    /** Of the proxy in front of httpd that its configuration tells of. */
    private HeaderNames headers() {
        return new HeaderNames(List.of(), facts.config().all("remoteipheader").map(HttpdDirective::argument)
                .filter(name -> name.matches("[A-Za-z0-9-]{1,60}")).distinct().toList());
    }

    SiteFacts facts() {
        return facts;
    }

    /** The application that gives the site its name. */
    WebApplication application() {
        return applications.get(0).application();
    }

    /** All of them, for people. */
    String describe() {
        return applications.stream().map(each -> each.found().describe()).collect(Collectors.joining(" and "));
    }

    /** Those that do something here. */
    public LadderLevels levels() {
        return levels;
    }

    boolean wall() {
        return wall;
    }

    Limit limit() {
        return limit;
    }

    /** Of the log of pages. */
    String logFormat() {
        return (wall ? WHO : "") + LOG_FORMAT;
    }

    /** The log of pages, beside httpd's own. */
    String log() {
        return facts.config().variable("APACHE_LOG_DIR").filter(path -> path.matches("/[A-Za-z0-9_./-]+")).orElse("/var/log/apache2")
                + "/ic2.log";
    }

    private int statusPort() {
        return facts.free(STATUS_PORT);
    }

    String statusUrl() {
        return "http://127.0.0.1:" + statusPort() + "/server-status?auto";
    }

    /** For the agent's own page. */
    int ownPort() {
        return facts.free(OWN_PORT);
    }

    /** Where visitors come in: by HTTPS where there is any, else where most sites are. */
    int port() {
        List<Integer> ports = new ArrayList<>(facts.dump().virtualHosts().stream().map(HttpdDump.VirtualHost::port).toList());
        if (ports.isEmpty()) {
            facts.config().all("listen").map(HttpdDirective::argument).map(address -> address.replaceFirst("^.*:", ""))
                    .filter(text -> text.matches("\\d{1,5}")).map(Integer::parseInt).forEach(ports::add);
        }
        ports.removeIf(port -> port == 0);
        return ports.contains(HTTPS) ? HTTPS : ports.stream()
                .max(Comparator.comparingInt(port -> Collections.frequency(ports, port))).orElse(HTTP);
    }
}
