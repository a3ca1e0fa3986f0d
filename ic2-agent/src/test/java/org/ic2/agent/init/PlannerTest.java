// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From what is found to files and steps. */
class PlannerTest {

    private static final String STATUS = "/etc/apache2/conf-available/ic2-status.conf";
    private static final String LADDER = "/etc/apache2/conf-available/ic2-mitigation.conf";
    private static final String TUNABLES = "/etc/apache2/conf-available/ic2-tunables.conf";

    @TempDir
    private Path directory;

    private Site site;

    @BeforeEach
    void make() throws Exception {
        site = new Site(directory);
    }

    private AgentConfig config(InitPlan plan) throws Exception {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).parse(Path.of("ic2.yaml"), plan.files().get(Planner.CONFIG));
    }

    private void online() {
        site.instead = command -> {
            try {
                return command.get(command.size() - 1).startsWith("DUMP_") ? new CommandResult(0,
                        Site.recorded("httpd-dump.txt") + " online_env_module (static)\n") : null;
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        };
    }

    @Test
    void withoutAPatchTheMapMovesTheLadderAndNothingElse() throws Exception {
        InitPlan plan = site.plan();
        AgentConfig config = config(plan);
        assertThat(config.mode()).isEqualTo(Mode.ADVISE);
        assertThat(config.policy().levers()).containsExactly(Lever.MITIGATION);
        assertThat(levels(config)).containsExactly(2, 3, 4, 5);
        assertThat(plan.files()).containsOnlyKeys(STATUS, LADDER, Planner.CONFIG);
        assertThat(plan.files().get(LADDER)).contains("<IfModule standby_module>\nStandbyLevel file \"/var/lib/ic2/ladder/mitigation.map\"\n",
                "# seen: 2 of 3 addresses have a page that may be stored\n<IfFile \"/usr/share/wordpress/index.php\">\n",
                "<Directory \"/usr/share/wordpress\">\n    StandbyApplication \"/usr/share/wordpress/index.php\"\n    StandbyPages /*\n")
                .endsWith("</Directory>\n</IfFile>\n</IfModule>\n").doesNotContain("Reconfigure", "mitigation.conf", "deflate-level");
        assertThat(plan.files().get(STATUS)).contains("Define STATUS_PORT 8088\n", "GlobalLog \"/var/log/apache2/ic2.log\" "
                + "\"%m %U %>s \\\"%{cache-status}e\\\" \\\"%<{cache-status}e\\\" %{ic2_member}e %D\"\n");
        assertThat(plan.modules()).containsExactly("standby", "deflate", "filter", "headers");
        assertThat(plan.units()).isEmpty();
        assertThat(plan.files().get(Planner.CONFIG)).contains("MaxRequestWorkers 150 and KeepAliveTimeout 5s stay",
                "{type: accept-queue, port: 8099}");
    }

    @Test
    void onAPatchedHttpdTheRunningValuesAreTheBaselineAndSetTheBounds() throws Exception {
        online();
        InitPlan plan = site.plan();
        AgentConfig config = config(plan);
        assertThat(config.policy().levers()).containsExactlyInAnyOrder(Lever.MITIGATION, Lever.KEEP_ALIVE_TIMEOUT);
        assertThat(levels(config)).containsExactly(1, 2, 3, 4, 5);
        assertThat(config.policy().baseline().get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(150);
        assertThat(plan.files().get(Planner.CONFIG)).contains("max-request-workers: [75, 150], keep-alive-timeout: [5s, 30s]");
        assertThat(plan.files().get(TUNABLES)).endsWith("\nMaxRequestWorkers 150\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 0\n");
        assertThat(plan.files().get(LADDER)).contains("<IfDirective ReconfigureFile>\nReconfigureFile \"" + TUNABLES
                + "\"\nInclude \"" + TUNABLES + "\"\n</IfDirective>\n")
                .contains("StandbyLevel variable MITIGATION\n", "deflate-level=1").doesNotContain("mitigation.map");
    }

    /** The wall is written for httpd and for the agent alike, and nowhere without it. */
    @Test
    void theWallIsSetUpWhereItIsWanted() throws Exception {
        InitPlan without = site.plan();
        assertThat(without.files().get(LADDER)).contains("#   StandbyWall flag\n");
        assertThat(String.join("", without.files().values())).doesNotContain("\nStandbyWall", "wall: true", "act:", "%h", "MITIGATION_WALL");
        InitPlan stock = site.plan(true);
        assertThat(stock.files().get(LADDER)).contains("\nStandbyWall flag\n");
        assertThat(stock.files().get(STATUS)).contains(" \"%h \\\"%{User-Agent}i\\\" %m ");
        assertThat(config(stock).policy().levers()).containsExactly(Lever.MITIGATION, Wall.FLAG);
        assertThat(config(stock).policy().baseline().get(Wall.FLAG)).isZero();
        assertThat(config(stock).policy().bounds().highest().get(Wall.FLAG)).isEqualTo(1);
        assertThat(config(stock).policy().acts()).containsExactly(Cause.NEIGHBOUR, Cause.CRAWLERS);
        online();
        InitPlan patched = site.plan(true);
        assertThat(patched.files().get(TUNABLES)).endsWith("\nReconfigureVariable MITIGATION 0\nReconfigureVariable MITIGATION_WALL 0\n");
        assertThat(config(patched).policy().levers()).containsExactlyInAnyOrder(Lever.MITIGATION, Lever.KEEP_ALIVE_TIMEOUT, Wall.FLAG);
        assertThat(site.plan().files().get(TUNABLES)).doesNotContain("WALL");
    }

    @Test
    void valuesAtTheEdgeStillMakeBoundsThatHoldThem() throws Exception {
        online();
        for (String limits : List.of("MaxRequestWorkers 10\nKeepAliveTimeout 600\n", "MaxRequestWorkers 25\nKeepAliveTimeout 500ms\n",
                "MaxRequestWorkers 20000\nKeepAliveTimeout 45000ms\n", "KeepAliveTimeout soon\nServerLimit 4\n")) {
            site.put(Site.APACHE + "/mods/mpm_event.conf", limits);
            assertThat(config(site.plan()).policy().baseline().get(Lever.MAX_REQUEST_WORKERS)).as(limits).isPositive();
        }
    }

    @Test
    void portsThatAreTakenAreLeftAlone() throws Exception {
        SiteFacts facts = site.facts();
        SiteFacts busy = new SiteFacts(facts.apachectl(), facts.build(), facts.dump(), facts.config(), true, "", facts.pools(),
                facts.applications(), java.util.Set.of(8088, 8089, 9464), facts.surroundings());
        InitPlan plan = new Planner(busy, Site.seen(busy), "/docs", false).plan();
        assertThat(plan.statusUrl()).contains(":8090/");
        assertThat(plan.files().get(STATUS)).contains("STATUS_PORT 8090");
        assertThat(plan.files().get(Planner.CONFIG)).contains("127.0.0.1:8090/server-status", "127.0.0.1:9465");
    }

    @Test
    void anApplicationBelowAPathHasItsExceptionsThere() throws Exception {
        site.put(Site.APACHE + "/sites/000-default.conf", "Alias /blog /usr/share/wordpress\n");
        assertThat(site.plan().files().get(LADDER)).contains(" /blog/wp-admin* ", "StandbyExcept /wp-admin* ");
    }

    @Test
    void missingPartsAreNamedWithTheRemedy() throws Exception {
        assertThat(new SiteReport(site.facts()).missing()).isEmpty();
        Files.delete(directory.resolve("usr/bin/sar"));
        Files.delete(directory.resolve(Site.MODULE.substring(1)));
        Files.delete(directory.resolve("usr/sbin/a2enmod"));
        Files.delete(directory.resolve((Site.DOCS + "/status.conf").substring(1)));
        Files.delete(directory.resolve("usr/share/wordpress/wp-login.php"));
        assertThat(new SiteReport(site.facts()).missing()).anySatisfy(line -> assertThat(line).contains("apt-get install sysstat"))
                .anySatisfy(line -> assertThat(line).contains("install the package libapache2-mod-standby"))
                .anySatisfy(line -> assertThat(line).contains("docs/stock-apache.md"))
                .anySatisfy(line -> assertThat(line).contains("applications.yaml"))
                .anySatisfy(line -> assertThat(line).contains("--docs DIR")).hasSize(5);
    }

    @Test
    void inAContainerItsOwnControlGroupTellsOfNeighbours() throws Exception {
        site.put("/sys/fs/cgroup/unified/cpu.pressure", "");
        assertThat(site.plan().files().get(Planner.CONFIG)).as("a machine").contains("{type: sysstat}").doesNotContain("cgroup");
        site.put("/run/systemd/container", "lxc");
        Files.delete(directory.resolve("usr/bin/sar"));
        assertThat(config(site.plan()).members()).hasSize(1);
        assertThat(site.plan().files().get(Planner.CONFIG)).contains("{type: cgroup, path: /sys/fs/cgroup/unified}")
                .doesNotContain("{type: sysstat}");
        assertThat(String.join("\n", new SiteReport(site.facts()).found())).contains("container    what its neighbours take is in");
        assertThat(new SiteReport(site.facts()).missing()).isEmpty();
        site.put("/sys/fs/cgroup/cpu.pressure", "");
        assertThat(site.plan().files().get(Planner.CONFIG)).contains("path: /sys/fs/cgroup}");
    }

    @Test
    void severalApplicationsGetASectionEach() throws Exception {
        site.put("/var/www/html/index.php", "");
        site.put("/var/www/html/load.php", "");
        SiteFacts facts = site.facts();
        assertThat(new SiteReport(facts).missing()).isEmpty();
        assertThat(String.join("\n", new SiteReport(facts).found())).contains("application  WordPress in /usr/share/wordpress",
                "application  MediaWiki in /var/www/html");
        String lines = site.plan().files().get(LADDER);
        assertThat(lines).contains("<Directory \"/usr/share/wordpress\">", "<Directory \"/var/www/html\">", "StandbySharedAge rewrite\n")
                .containsOnlyOnce("StandbyStore ");
        assertThat(config(site.plan()).members()).hasSize(1);
        SiteFacts one = facts.only(java.util.Optional.of("/var/www/html/"));
        assertThat(new Planner(one, Site.seen(one), "/docs", false).plan().files().get(LADDER)).contains("MediaWiki").doesNotContain("wordpress");
    }

    @Test
    void aSiteOfWhichNothingMayBeStoredHasAnEmptyLadder() throws Exception {
        SiteFacts facts = site.facts();
        List<TriedApplication> tried = SiteTrial.all(facts, site.machine, null);
        assertThat(tried).singleElement().satisfies(each -> assertThat(each.seen()).anySatisfy(line ->
                assertThat(line).contains("httpd does not run")));
        Planner planner = new Planner(facts, tried, "/docs", false);
        assertThat(planner.levels().isEmpty()).isTrue();
        assertThat(String.join("\n", planner.levels().describe())).contains("EMPTY", "3 and 4", "StandbyCrawlers");
        AgentConfig config = config(planner.plan());
        assertThat(config.policy().ladder().highest()).isZero();
        assertThat(planner.plan().files().get(Planner.CONFIG)).contains("# The ladder is empty: no mitigation level does anything on this site.\n", "ladder:   []", "mitigation: [0, 0]");
        assertThat(planner.plan().files().get(LADDER)).contains("StandbyApplication", "No page of it is stored").doesNotContain("StandbyPages /");
    }

    @Test
    void levelsNeedWhatTheyAreMadeOf() throws Exception {
        site.put(Site.APACHE + "/conf/security.conf", "StandbyCrawlers 2 bot\nRemoteIPHeader X-Real-IP\n");
        assertThat(levels(config(site.plan()))).containsExactly(2, 3, 4, 5);
        assertThat(site.plan().files().get(LADDER)).contains("\nStandbyVolatileHeaders X-Real-IP\n", "\nStandbyCrawlers training GPTBot ",
                "\nStandbyCrawlerRate training 2 0\n", "\nStandbyCrawlerRate search 2 30\n", "\n#   StandbyWall flag\n")
                .doesNotContain("\nStandbyWall ");
        SiteFacts facts = site.facts();
        assertThat(SiteTrial.all(facts, site.machine, null)).singleElement().satisfies(each -> assertThat(each.brownout()).isFalse());
        site.put("/usr/share/wordpress/wp-content/mu-plugins/ic2-ladder.php", "");
        assertThat(new Planner(facts, SiteTrial.all(facts, site.machine, null), "/docs", false).levels().levels()).containsExactly(2, 6);
    }

    private static List<Integer> levels(AgentConfig config) {
        return java.util.stream.IntStream.rangeClosed(1, config.policy().ladder().highest())
                .mapToObj(number -> config.policy().ladder().level(number).get(Lever.MITIGATION)).toList();
    }

    @Test
    void aFileOfTunablesThatIsThereStaysTheAdministrators() throws Exception {
        online();
        site.put(Site.APACHE + "/apache2.conf", "ReconfigureFile conf/tunables.conf\n");
        assertThat(new SiteReport(site.facts()).missing()).singleElement().asString().contains("conf/tunables.conf",
                "ReconfigureVariable MITIGATION 0");
    }

    /** Where the host takes much of the CPU all the time, the line with the value is offered, in the report and as a comment. */
    @Test
    void aHostThatIsNeverQuietGetsTheLine() throws Exception {
        assertThat(new SiteReport(site.facts()).found()).noneMatch(line -> line.contains("never-normal"));
        site.put("/proc/stat", "cpu  2832713 1085201 912422 3021779 14196 0 34079 3500000 0 0\n");
        assertThat(new SiteReport(site.facts()).found()).anyMatch(line -> line.endsWith(
                "s of CPU since the start, 31 % of it: if it is always so, set \"never-normal: {steal: 0.5}\" in ic2.yaml"));
        assertThat(site.plan().files().get(Planner.CONFIG)).contains("# The host took 31 % of the CPU since the start.", "\n# never-normal: {steal: 0.5}\n");
    }

    @Test
    void foundPartsAreReported() throws Exception {
        site.put("/etc/php/8.2/fpm/pool.d/www.conf", "[www]\nlisten = /run/php/php8.2-fpm.sock\npm = dynamic\npm.max_children = 5\n");
        assertThat(String.join("\n", new SiteReport(site.facts()).found())).contains("2.4.71 event, without a patch, not running",
                "MaxRequestWorkers 150, KeepAliveTimeout 5s", "blog.example.org, port 8099",
                "/var/log/apache2/access.log; no LogFormat has %D",
                "pool www at /run/php/php8.2-fpm.sock, dynamic, at most 5, without pm.status_listen",
                "application  WordPress in /usr/share/wordpress", "steal        none since the start");
    }
}
