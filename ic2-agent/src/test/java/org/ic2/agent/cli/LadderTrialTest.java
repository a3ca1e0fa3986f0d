// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.application.Applications;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.testing.Waiting;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.agent.tenant.Written;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ic2 check --ladder} with a level that stands in a file, and a site that looks at it and misbehaves. */
class LadderTrialTest {

    @TempDir
    private Path directory;

    private final Set<InetAddress> builders = new HashSet<>();
    private final Set<String> cookies = ConcurrentHashMap.newKeySet();
    private String builtAt = "";
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private Site site = Site.WELL;

    /** What goes wrong at level 2. */
    private enum Site { WELL, LEAKS, FRONT_PAGE, ANONYMISES, KEEPS_NOTHING, REFUSES_CRAWLERS, FAILS, PRIVATE_WIKI }

    @BeforeEach
    void place() throws IOException {
        Files.writeString(level(), "0\n");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            int level = Integer.parseInt(Files.readString(level()).strip());
            String cookie = exchange.getRequestHeaders().getFirst("Cookie");
            boolean known = cookie != null;
            boolean bad = level == 2;
            cookies.add(String.valueOf(cookie));
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", "text/html");
            if (bad && site == Site.ANONYMISES || !known && stores()) {
                headers.set("X-Cache", level >= 2 && proven(exchange.getRemoteAddress().getAddress()) ? "HIT" : "MISS");
            }
            if (bad && site == Site.LEAKS || site == Site.KEEPS_NOTHING) {
                headers.add("Set-Cookie", "visitor=1; Path=/");
            }
            if (site == Site.PRIVATE_WIKI) {
                headers.set("Cache-Control", "private, must-revalidate, max-age=0");
            }
            byte[] page = (site == Site.PRIVATE_WIKI ? "<meta name=generator content='MediaWiki 1.39.7'>" : "<html><title>" + (bad && site == Site.FRONT_PAGE ? "Home" : "Post") + "</title></html>")
                    .getBytes(StandardCharsets.UTF_8);
            if (bad && site == Site.FAILS) {
                exchange.close();
                return;
            }
            boolean refused = bad && site == Site.REFUSES_CRAWLERS && exchange.getRequestHeaders().getFirst("User-Agent").contains("bot");
            exchange.sendResponseHeaders(refused ? 503 : 200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
    }

    private boolean stores() {
        return site != Site.KEEPS_NOTHING && site != Site.REFUSES_CRAWLERS && site != Site.PRIVATE_WIKI;
    }

    /** Served only after builds for two addresses, as mod_standby does; a level begins with an empty store. */
    private synchronized boolean proven(InetAddress client) throws IOException {
        String level = Files.readString(level());
        if (!level.equals(builtAt)) {
            builders.clear();
            builtAt = level;
        }
        boolean served = builders.size() >= 2;
        builders.add(client);
        return served;
    }

    @AfterEach
    void clear() {
        server.stop(0);
        threads.shutdownNow();
    }

    private Path level() {
        return directory.resolve("level");
    }

    private Path file(String set) throws IOException {
        return Files.writeString(directory.resolve("ic2.yaml"), """
                application: shop
                mode: advise
                members: {web: {role: web, actuators: {ladder: {type: exec, lever: mitigation,
                  set: [sh, -c, '%2$s'], get: [cat, %1$s/level]}}}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 50, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], php-max-children: [50, 400], mitigation: [0, 3]}
                levers: [mitigation]
                journal: %1$s/journal.jsonl
                """.formatted(directory, set.replace("@D", directory.toString())));
    }

    private AgentConfig config(String set) throws Exception {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file(set));
    }

    private LadderTrial trial(String set, String... ofOne) throws Exception {
        URI page = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/post");
        return new LadderTrial(config(set), page, List.of(ofOne), Optional.empty(), Applications.shipped());
    }

    private List<Finding> tried(String set, String... ofOne) throws Exception {
        return trial(set, ofOne).findings();
    }

    private List<Finding> tried(Site misbehaving) throws Exception {
        site = misbehaving;
        List<Finding> findings = tried("echo {value} > @D/level", "member=7");
        assertThat(Files.readString(level()).strip()).as("restored").isEqualTo("0");
        return findings;
    }

    private static String lines(List<Finding> findings) {
        return findings.stream().map(finding -> finding.word() + " " + finding.what() + " " + finding.text())
                .collect(Collectors.joining("\n"));
    }

    @Test
    void eachLevelIsTriedWrittenDownAndTakenBack() throws Exception {
        List<Finding> findings = tried(Site.WELL);
        assertThat(lines(findings)).matches("(?s)ok level 1 .*0 of 3 from the store, nothing else that shows on this page\n"
                + "ok level 2 .*1 of 3 from the store\nok level 3 .*1 of 3 from the store\n"
                + "ok cookie member: its owner is kept away from the store");
        List<Entry> journal = Written.entries(directory.resolve("journal.jsonl"));
        assertThat(journal.stream().filter(Entry.Intent.class::isInstance)).hasSize(4);
        assertThat(journal.stream().filter(Entry.Applied.class::isInstance)).hasSize(4);
        AgentConfig config = config("true {value}");
        try (Journal read = new Journal(config.journal(), Clock.systemUTC(), config.vocabulary().knobs())) {
            JournalReplay past = JournalReplay.of(read.history(), config.policy().baseline());
            assertThat(past.leftBehind()).as("nothing is left to be restored").isEmpty();
            assertThat(past.manual()).as("no manual mode, as before").isEmpty();
        }
    }

    @Test
    void harmOfALevelToVisitorsIsNamed() throws Exception {
        assertThat(lines(tried(Site.LEAKS))).contains("MISSING level 2 the store hands one visitor's cookie visitor to others");
        assertThat(lines(tried(Site.FRONT_PAGE))).contains("MISSING level 2 strangers see another page, 200 text/html \"Home\"")
                .contains("without a level it is 200 text/html \"Post\"");
        assertThat(lines(tried(Site.ANONYMISES))).contains("MISSING level 2 the owner of the cookie member is taken for a stranger: take it"
                + " out of StandbyHarmlessCookies and StandbyKnownCookies").contains("ok level 3").doesNotContain("kept away");
        assertThat(lines(tried(Site.FAILS))).contains("MISSING level 2 GET http").contains("ok level 3");
    }

    @Test
    void allCookiesOfOnePersonAreSentInOneRequest() throws Exception {
        assertThat(lines(tried("echo {value} > @D/level", "wiki_session=a", "wikiUserID=7; wikiUserName=Ann")))
                .contains("ok cookie wiki_session, wikiUserID, wikiUserName: its owner is kept away from the store");
        assertThat(cookies).containsExactlyInAnyOrder("null", "wiki_session=a; wikiUserID=7; wikiUserName=Ann");
    }

    @Test
    void anEmptyLadderIsSaidAndHasAnExitStatusOfItsOwn() throws Exception {
        site = Site.KEEPS_NOTHING;
        LadderTrial trial = trial("echo {value} > @D/level", "member=7");
        assertThat(lines(trial.findings())).contains("ok level 3").contains("note cookie member: no level answers strangers from the store")
                .contains("note ladder the ladder is empty: no level does anything that shows on http://").endsWith("it sets the cookie visitor");
        assertThat(trial.isEmpty()).isTrue();
        String page = "http://127.0.0.1:" + server.getAddress().getPort() + "/post";
        Path config = file("echo {value} > @D/level");
        assertThat(check("-c", config.toString(), "--mode", "observe", "--ladder", page)).isEqualTo(CheckCommand.EMPTY_LADDER);
        site = Site.REFUSES_CRAWLERS;
        trial = trial("echo {value} > @D/level");
        assertThat(lines(trial.findings())).contains("ok level 2 mitigation 2: 200 text/html \"Post\", 32 bytes, 0 of 3 from the store, crawlers get 503")
                .contains("note ladder no level answers from the store");
        assertThat(trial.isEmpty()).isFalse();
    }

    @Test
    void anApplicationWhosePageIsPrivateIsToldWhatToAdd() throws Exception {
        assertThat(lines(tried(Site.PRIVATE_WIKI))).contains("note ladder the ladder is empty: ", "it says Cache-Control: private",
                "MISSING application in the configuration of MediaWiki, whose pages say that they are private: $wgUseCdn = true;",
                "$wgCdnServers = [ \"127.0.0.1:" + server.getAddress().getPort() + "\" ];");
    }

    @Test
    void aConfigurationWithoutALevelIsSaidByEachCheck() throws Exception {
        Path config = Files.writeString(directory.resolve("empty.yaml"), """
                application: shop
                mode: advise
                members: {web: {role: web, actuators: {ladder: {type: exec, lever: mitigation, set: [true, '{value}'], get: [cat, %1$s/level]}}}}
                baseline: {mitigation: 0}
                bounds: {mitigation: [0, 0]}
                ladder: []
                journal: %1$s/journal.jsonl
                """.formatted(directory));
        assertThat(check("-c", config.toString(), "--mode", "observe")).as("there is no sensor").isEqualTo(Ic2.FAILED);
        assertThat(out.toString()).contains("note    ladder             the ladder is empty: no mitigation level does anything on this site\n");
        String page = "http://127.0.0.1:" + server.getAddress().getPort() + "/post";
        assertThat(check("-c", config.toString(), "--mode", "observe", "--ladder", page)).isEqualTo(CheckCommand.EMPTY_LADDER);
        assertThat(out.toString()).contains("there is no level to try").doesNotContain("in the configuration of");
        site = Site.PRIVATE_WIKI;
        assertThat(check("-c", config.toString(), "--mode", "observe", "--ladder", page)).isEqualTo(CheckCommand.EMPTY_LADDER);
        assertThat(out.toString()).contains("MISSING application        in the configuration of MediaWiki, ");
        AgentConfig loaded = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(config);
        List<Finding> well = List.of(new Finding(false, false, "ladder", "empty"));
        assertThat(CheckCommand.status(well, Optional.of(loaded))).isEqualTo(CheckCommand.EMPTY_LADDER);
        assertThat(CheckCommand.status(well, Optional.of(config("true {value}")))).isZero();
        assertThat(CheckCommand.status(well, Optional.empty())).as("of a crawl").isZero();
    }

    @Test
    void aTrialLeavesNoLockDirectory() throws Exception {
        Path own = Path.of(System.getProperty("java.io.tmpdir"), "ic2-locks-" + System.getProperty("user.name"));
        boolean before = Files.exists(own);
        tried(Site.WELL);
        assertThat(before || Files.notExists(own)).isTrue();
    }

    @Test
    void trialsAreCountedByHandAndLeaveTheAgentItsBudget() throws Exception {
        site = Site.WELL;
        for (int i = 0; i < 3; i++) {
            tried("echo {value} > @D/level");
        }
        AgentConfig config = config("true {value}");
        try (Journal read = new Journal(config.journal(), Clock.systemUTC(), config.vocabulary().knobs())) {
            JournalReplay past = JournalReplay.of(read.history(), config.policy().baseline());
            assertThat(past.actions()).as("the agent's").isEmpty();
            assertThat(past.byHand()).as("one for each trial, whatever its levels").hasSize(3);
        }
    }

    @Test
    void aLevelThatCannotBeHadEndsTheTrialAtTheBaseline() throws Exception {
        List<Finding> findings = tried("test {value} != 2 && echo {value} > @D/level");
        assertThat(lines(findings)).contains("ok level 1").contains("MISSING level 2").doesNotContain("level 3");
        assertThat(Files.readString(level()).strip()).isEqualTo("0");
    }

    @Test
    void nothingIsTriedWhileAnAgentHasTheJournalOrAnotherLevelIsInForce() throws Exception {
        AgentConfig config = config("true {value}");
        try (Journal taken = new Journal(config.journal(), Clock.systemUTC(), config.vocabulary().knobs())) {
            assertThat(taken.failure()).isNull();
            assertThat(lines(tried("echo {value} > @D/level"))).startsWith("MISSING ladder cannot open the journal");
        }
        try (TierLock other = ByHand.lock(config)) {
            other.hold(config.withMode(Mode.ACT).servers());
            assertThat(lines(tried("true {value}"))).startsWith("MISSING ladder another agent manages");
        }
        Files.writeString(level(), "1\n");
        assertThat(lines(tried("echo {value} > @D/level"))).contains("mitigation 1; run \"ic2 restore\" first");
        assertThat(Files.readString(level()).strip()).isEqualTo("1");
        assertThat(cookies).as("requests").isEmpty();
    }

    private final StringWriter errors = new StringWriter();
    private final StringWriter out = new StringWriter();

    private int check(String... arguments) {
        CommandLine line = Ic2.commandLine();
        line.setErr(new PrintWriter(errors));
        line.setOut(new PrintWriter(out));
        List<String> all = new ArrayList<>(List.of("check"));
        all.addAll(List.of(arguments));
        return line.execute(all.toArray(String[]::new));
    }

    @Test
    void wrongOptionsAreNamed() throws Exception {
        String config = file("true {value}").toString();
        assertThat(check("-c", config, "--ladder", "localhost")).isEqualTo(Ic2.USAGE);
        assertThat(check("-c", config, "--crawl", "ftp://localhost/")).isEqualTo(Ic2.USAGE);
        assertThat(check("-c", config, "--ladder", "http://localhost/", "--cookie", "member")).isEqualTo(Ic2.USAGE);
        assertThat(check("-c", config, "--cookie", "member=7")).isEqualTo(Ic2.USAGE);
        assertThat(check("-c", config, "--at", "127.0.0.1")).isEqualTo(Ic2.USAGE);
        assertThat(errors.toString()).contains("--ladder: expected the URL of a page", "--crawl: expected the URL of a page",
                "--cookie: expected NAME=VALUE, or several as \"A=1; B=2\", got \"member\"", "--cookie needs --ladder URL",
                "--at needs --ladder URL or --crawl URL");
    }

    private static final List<String> MODULES = List.of("deflate", "dir", "env", "filter", "headers", "mime", "setenvif", "standby");

    /** A file as the application, with mod_standby and what httpd-online/docs/mitigation.conf has of the other levels. */
    private String shipped(Path place, String level) throws IOException {
        Files.writeString(place.resolve("index.html"), "<title>Post</title>" + "x".repeat(5000));
        return """
                TypesConfig /dev/null
                AddType text/html .html
                DirectoryIndex index.html
                StandbyLevel %2$s
                StandbyStore %1$s/store
                StandbyCrawlers 2 bot
                <Directory "%1$s">
                    StandbyApplication %1$s/index.html
                    StandbyPages /*
                    StandbyAge 3 60 45
                    StandbyAge 4 300 240
                </Directory>
                Header always set IC2-Mitigation "expr=%%{reqenv:MITIGATION}" "expr=-n reqenv('MITIGATION')"
                """.formatted(place, level);
    }

    private List<Finding> triedShipped(RealHttpd httpd, String actuator) throws Exception {
        Path file = Files.writeString(directory.resolve("shop.yaml"), """
                application: shop
                mode: act
                members: {web: {role: web, actuators: {httpd: {%2$s, status-url: '%3$s'}}}}
                baseline: {mitigation: 0}
                bounds: {mitigation: [0, 6]}
                levers: [mitigation]
                journal: %1$s/journal.jsonl
                """.formatted(directory, actuator, httpd.url()));
        return new LadderTrial(new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file),
                URI.create(httpd.url()).resolve("/"), List.of("member=7"), Optional.empty(), Applications.shipped()).findings();
    }

    private static void assertWell(List<Finding> findings) {
        assertThat(lines(findings)).matches("(?s)ok level 1 [^\n]* 0 of 3 from the store[^\n]*\nok level 2 [^\n]* 0 of 3 from the store, crawlers get 503\n"
                + "(ok level [3-6] mitigation [3-6]: 200 text/html \"Post\", \\d+ bytes, 3 of 3 from the store, crawlers get 503\n){4}"
                + "ok cookie member: its owner is kept away from the store");
    }

    /** The trial sees of mod_standby what that does: level 0 has proven the page, so that the first stranger at level 3 gets a hit. */
    @Test
    @EnabledIf("moduleBuilt")
    void theShippedLadderIsWell() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path place = Files.createDirectory(directory.resolve("httpd"));
        try (RealHttpd httpd = new RealHttpd(place, MODULES, shipped(place, "variable MITIGATION"))) {
            assertWell(triedShipped(httpd, "type: httpd-online, apachectl: " + httpd.apachectl()));
            assertThat(httpd.page()).contains("ReconfigureVariable: MITIGATION=0");
            assertStatus(httpd);
        }
    }

    @Test
    @EnabledIf("moduleBuilt")
    void theShippedLadderIsWellWithoutAPatch() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path place = Files.createDirectory(directory.resolve("httpd"));
        Path map = Files.writeString(place.resolve("mitigation.map"), "MITIGATION 0\n");
        try (RealHttpd httpd = RealHttpd.stock(place, MODULES, shipped(place, "file " + map))) {
            assertWell(triedShipped(httpd, "type: httpd-map, file: " + map));
            assertThat(map).hasContent("MITIGATION 0");
            assertStatus(httpd);
        }
    }

    /** What the module says of itself after a trial is what {@link StandbyCheck} reads. */
    private static void assertStatus(RealHttpd httpd) throws Exception {
        StandbyStatus status = StandbyStatus.parse(httpd.page()).orElseThrow();
        assertThat(status.store()).isEqualTo("ok");
        assertThat(status.twins()).isEqualTo("ok");
        assertThat(status.figure("StandbyHits")).isPositive();
        assertThat(status.cookies()).containsOnlyKeys("member");
        assertThat(lines(new StandbyCheck(true, false).of(status))).startsWith("ok standby the store is ready; level 0").contains("note standby the cookie member kept");
    }

    static boolean moduleBuilt() {
        return RealHttpd.built() && Files.exists(Path.of("../build/httpd/modules/mod_standby.so"));
    }

    @Test
    void endingItInTheMiddleRestores() throws Exception {
        String page = "http://127.0.0.1:" + server.getAddress().getPort() + "/post";
        AtomicInteger asked = new AtomicInteger();
        server.removeContext("/");
        server.createContext("/", exchange -> {
            if (!Files.readString(level()).strip().equals("0")) {
                asked.incrementAndGet();
                return;     // never answered
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        Path config = file("echo {value} > @D/level");
        try (AgentProcess agent = new AgentProcess(config, directory.resolve("journal.jsonl"))) {
            Process process = agent.ic2("check", "-c", config.toString(), "--ladder", page);
            Waiting.until("the page to be asked for at a level", () -> asked.get() > 0);
            process.destroy();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(Files.readString(level()).strip()).isEqualTo("0");
    }
}
