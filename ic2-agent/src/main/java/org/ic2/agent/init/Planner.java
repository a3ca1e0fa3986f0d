// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.application.LadderLines;

/** From what is found to files and steps. Pure: for the same facts the same plan. Only for facts of which nothing is missing. */
public final class Planner {

    static final String CONFIG = "/etc/ic2/ic2.yaml";
    static final String STORE = "/run/ic2-standby";
    static final String MAP = "/var/lib/ic2/ladder/mitigation.map";
    /** What the agent needs of a request, and nothing by which a visitor is known. */
    static final String LOG_FORMAT = "%m %U %>s \"%{cache-status}e\" %{ic2_member}e %D";
    private static final String CONFS = "/etc/apache2/conf-available/";
    private static final String STATUS = "ic2-status";
    private static final String MITIGATION = "ic2-mitigation";
    private static final String TUNABLES = CONFS + "ic2-tunables.conf";
    private static final List<String> MODULES =
            List.of("alias", "cache", "cache_disk", "deflate", "filter", "headers", "rewrite", "setenvif", "status");
    private static final int STATUS_PORT = 8088;
    private static final int OWN_PORT = 9464;
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    private final SiteFacts facts;
    private final String docs;
    private final FoundApplication application;
    private final Limit limit;

    /** @param docs the directory of mitigation.conf and status.conf */
    public Planner(SiteFacts facts, String docs) {
        this.facts = facts;
        this.docs = docs;
        this.application = facts.applications().get(0);
        this.limit = Limit.of(facts);
    }

    public InitPlan plan() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put(CONFS + STATUS + ".conf", text(statusLines()));
        if (facts.online()) {
            files.put(TUNABLES, text(List.of("# SPDX-License-Identifier: Apache-2.0",
                    "# Written by ic2 init: what runs. \"apachectl -k reconfigure\" changes these lines; docs/httpd-online.md.",
                    "MaxRequestWorkers " + limit.workers(), "KeepAliveTimeout " + limit.directive(),
                    "ReconfigureVariable MITIGATION 0")));
        }
        files.put(CONFS + MITIGATION + ".conf", text(ladderLines()));
        files.put(CONFIG, text(new AgentText(this).lines()));
        boolean systemd = facts.surroundings().systemd();
        List<String> units = new ArrayList<>();
        if (systemd) {
            units.add("ic2-standby.service");
            if (facts.online()) {
                units.add("ic2-reconfigure.socket");
            }
        }
        return new InitPlan(facts.apachectl(), facts.dump().pidFile(), facts.running(), statusUrl(),
                MODULES.stream().filter(module -> !facts.dump().has(module)).toList(), List.of(STATUS, MITIGATION), files, units,
                systemd ? List.of() : List.of(facts.dump().user(), facts.dump().group(), STORE), log());
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
                "GlobalLog \"" + log() + "\" \"" + LOG_FORMAT.replace("\"", "\\\"") + "\"");
    }

    private List<String> ladderLines() {
        List<String> lines = new ArrayList<>(List.of("# SPDX-License-Identifier: Apache-2.0",
                "# Written by ic2 init, which takes it back with --remove; docs/applications.md explains it."));
        if (facts.online()) {
            lines.add("# the distribution's own httpd in the place of this one starts, too, on rung 0");
            lines.add("<IfDirective ReconfigureFile>");
            lines.add("ReconfigureFile \"" + TUNABLES + "\"");
            lines.add("Include \"" + TUNABLES + "\"");
            lines.add("</IfDirective>");
        }
        lines.add("# httpd starts without the ladder where it or the application is gone");
        lines.add("<IfFile \"" + docs + "/mitigation.conf\">");
        lines.add("<IfFile \"" + application.root() + "/" + application.application().frontController() + "\">");
        lines.addAll(new LadderLines(application.root(), docs, facts.online() ? Optional.empty() : Optional.of(MAP))
                .definitions(application.application().below(application.prefix())));
        lines.add("Include \"" + docs + "/mitigation.conf\"");
        lines.add("</IfFile>");
        lines.add("</IfFile>");
        return lines;
    }

    SiteFacts facts() {
        return facts;
    }

    FoundApplication application() {
        return application;
    }

    Limit limit() {
        return limit;
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
