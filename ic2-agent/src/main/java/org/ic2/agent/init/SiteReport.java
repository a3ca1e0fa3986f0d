// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is found and what is missing, in words. Pure. */
public final class SiteReport {

    private final SiteFacts facts;

    public SiteReport(SiteFacts facts) {
        this.facts = facts;
    }

    /** Lines of a word and what is found. */
    public List<String> found() {
        List<String> lines = new ArrayList<>();
        say(lines, "httpd", facts.build().version() + " " + facts.build().mpm() + (facts.online() ? " with online variables"
                : ", without a patch") + (facts.running() ? ", running" + (facts.cgroup().isEmpty() ? "" : " in " + facts.cgroup())
                : ", not running") + ", children as " + facts.dump().user());
        say(lines, "limits", "MaxRequestWorkers " + Limit.of(facts).workers() + ", KeepAliveTimeout " + Limit.of(facts).keepAlive());
        facts.dump().virtualHosts().forEach(host -> say(lines, "site", host.name() + ", port "
                + (host.port() == 0 ? "any" : host.port()) + " (" + host.place() + ")"));
        say(lines, "mod_status", facts.dump().has("status") ? "loaded" : "not loaded");
        facts.config().all("customlog").map(HttpdDirective::argument).distinct().forEach(log -> say(lines, "log", log
                + (timed() ? "" : "; no LogFormat has %D, the time that a request took")));
        facts.pools().forEach(pool -> say(lines, "php-fpm", "pool " + pool.name() + " at " + pool.listen() + ", " + pool.manager()
                + ", at most " + pool.maxChildren() + (pool.statusListen().isEmpty() ? ", without pm.status_listen" : "")));
        if (facts.dump().modules().stream().anyMatch(module -> module.matches("php\\d*_module"))) {
            say(lines, "php", "mod_php, within httpd");
        }
        facts.applications().forEach(each -> say(lines, "application", each.describe() + ", at " + each.sites().get(0).page(each.prefix() + "/")));
        SiteFacts.Surroundings around = facts.surroundings();
        say(lines, "steal", around.stolen() > 0 ? String.format(Locale.ROOT, "%.1f s of CPU since the start", around.stolen())
                + facts.neverQuiet().map(line -> String.format(Locale.ROOT, ", %.0f %% of it: if it is always so, set \"%s\" in ic2.yaml",
                100 * around.steal(), line)).orElse("")
                : "none since the start: the host reports none, or there was none");
        if (!around.container().isEmpty()) {
            say(lines, "container", "what its neighbours take is in " + around.container());
        }
        say(lines, "counters", around.counters() ? "the machine shows some (docs/configuration.md)" : "the machine shows none");
        return lines;
    }

    private boolean timed() {
        return facts.config().all("logformat").anyMatch(format -> format.argument().contains("%D"));
    }

    private static void say(List<String> lines, String what, String text) {
        lines.add(String.format("%-12s %s", what, text));
    }

    /** What prevents a plan, each with what to do. */
    public List<String> missing() {
        List<String> lines = new ArrayList<>();
        need(lines, facts.build().carriesTheLadder(), "httpd 2.4.34 or newer: this one is " + facts.build().version());
        need(lines, facts.surroundings().debian(), "a2enmod, a2enconf and /etc/apache2/conf-available: httpd's configuration is not"
                + " laid out as Debian's; docs/stock-apache.md says what to write by hand");
        need(lines, facts.surroundings().sysstat() || !facts.surroundings().container().isEmpty(),
                "sar, which measures CPU and steal: apt-get install sysstat");
        need(lines, facts.surroundings().standby(), "mod_standby, which stores pages: install the package libapache2-mod-standby (packaging/make-mod-standby builds it)");
        need(lines, facts.surroundings().status(), "status.conf, which the package has in /usr/share/doc/ic2 (does"
                + " dpkg leave documentation out here?): --docs DIR says where it is");
        List<FoundApplication> served = facts.applications();
        need(lines, !served.isEmpty(), "a web application that is known; describe yours in /etc/ic2/applications.yaml with a"
                + " marker (docs/applications.md)");
        served.forEach(each -> need(lines, each.prefix().matches("[A-Za-z0-9_./~-]*"), "a path of letters, digits and _ . ~ -: the"
                + " application is below " + each.prefix()));
        served.forEach(each -> need(lines, each.root().matches("[^\"$%\\\\*?\\[\\]\\p{Cntrl}]+"), "a directory without \" $ % * ? [ ] and \\: the"
                + " application lies in " + each.root()));
        need(lines, !facts.online() || facts.config().value("reconfigurefile").isEmpty(), "a ReconfigureFile that is not there yet: "
                + facts.config().value("reconfigurefile").orElse("") + " is; add ReconfigureVariable MITIGATION 0 to it, and see"
                + " docs/httpd-online.md");
        return lines;
    }

    private static void need(List<String> lines, boolean there, String otherwise) {
        if (!there) {
            lines.add(otherwise);
        }
    }
}
