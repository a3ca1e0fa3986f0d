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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.agent.servers.Waiting;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.Recovered;
import org.ic2.runtime.journal.Written;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ic2 check --ladder} with a rung that stands in a file, and a site that looks at it and misbehaves. */
class LadderTrialTest {

    @TempDir
    private Path directory;

    private final AtomicInteger visits = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private Site site = Site.WELL;

    /** What goes wrong on rung 2. */
    private enum Site { WELL, LEAKS, FRONT_PAGE, ANONYMISES, KEEPS_NOTHING, FAILS }

    @BeforeEach
    void place() throws IOException {
        Files.writeString(rung(), "0\n");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            int rung = Integer.parseInt(Files.readString(rung()).strip());
            boolean known = exchange.getRequestHeaders().containsKey("Cookie");
            boolean loud = rung == 2;
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Type", "text/html");
            if (loud && site == Site.ANONYMISES || rung >= 2 && !known && site != Site.KEEPS_NOTHING) {
                headers.set("X-Cache", (visits.incrementAndGet() % 3 == 1 ? "MISS" : "HIT") + " from localhost");
            }
            if (loud && site == Site.LEAKS || site == Site.KEEPS_NOTHING) {
                headers.add("Set-Cookie", "visitor=1; Path=/");
            }
            byte[] page = ("<html><title>" + (loud && site == Site.FRONT_PAGE ? "Home" : "Post") + "</title></html>")
                    .getBytes(StandardCharsets.UTF_8);
            if (loud && site == Site.FAILS) {
                exchange.close();
                return;
            }
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void clear() {
        server.stop(0);
        threads.shutdownNow();
    }

    private Path rung() {
        return directory.resolve("rung");
    }

    private Path file(String set) throws IOException {
        return Files.writeString(directory.resolve("ic2.yaml"), """
                application: shop
                mode: advise
                members: {web: {role: web, actuators: {ladder: {type: exec, lever: mitigation,
                  set: [sh, -c, '%2$s'], get: [cat, %1$s/rung]}}}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 50, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], php-max-children: [50, 400], mitigation: [0, 3]}
                levers: [mitigation]
                journal: %1$s/journal.jsonl
                """.formatted(directory, set.replace("@D", directory.toString())));
    }

    private AgentConfig config(String set) throws Exception {
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file(set));
    }

    private List<Finding> tried(String set, String cookie) throws Exception {
        URI page = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/post");
        return new LadderTrial(config(set), page, Optional.ofNullable(cookie)).findings();
    }

    private List<Finding> tried(Site misbehaving) throws Exception {
        site = misbehaving;
        List<Finding> findings = tried("echo {value} > @D/rung", "member=7");
        assertThat(Files.readString(rung()).strip()).as("restored").isEqualTo("0");
        return findings;
    }

    private static String lines(List<Finding> findings) {
        return findings.stream().map(finding -> (finding.ok() ? "ok " : finding.needed() ? "MISSING " : "missing ")
                + finding.what() + " " + finding.text()).collect(Collectors.joining("\n"));
    }

    @Test
    void everyRungIsTriedWrittenDownAndTakenBack() throws Exception {
        List<Finding> findings = tried(Site.WELL);
        assertThat(lines(findings)).matches("(?s)ok rung 1 .*0 of 3 from the cache\nok rung 2 .*2 of 3 from the cache\n"
                + "ok rung 3 .*2 of 3 from the cache");
        List<Entry> journal = Written.entries(directory.resolve("journal.jsonl"));
        assertThat(journal.stream().filter(Entry.Intent.class::isInstance)).hasSize(4);
        assertThat(journal.stream().filter(Entry.Applied.class::isInstance)).hasSize(4);
        AgentConfig config = config("true {value}");
        try (Journal read = new Journal(config.journal(), Clock.systemUTC(), config.vocabulary().knobs())) {
            Recovered past = Recovered.of(read.history(), config.policy().baseline());
            assertThat(past.leftBehind()).as("nothing is left to be restored").isEmpty();
            assertThat(past.manual()).as("the agent is in charge as before").isEmpty();
        }
    }

    @Test
    void whatARungDoesToVisitorsIsNamed() throws Exception {
        assertThat(lines(tried(Site.LEAKS))).contains("MISSING rung 2 the cache hands one visitor's cookie visitor to others");
        assertThat(lines(tried(Site.FRONT_PAGE))).contains("MISSING rung 2 anonymous visitors see another page")
                .contains("without a rung it is 200 text/html \"Post\"");
        assertThat(lines(tried(Site.ANONYMISES))).contains("MISSING rung 2 who has the cookie member is taken for anonymous:"
                + " name it in MITIGATION_SESSION_COOKIE").contains("ok rung 3");
        assertThat(lines(tried(Site.FAILS))).contains("MISSING rung 2 GET http").contains("ok rung 3");
        assertThat(lines(tried(Site.KEEPS_NOTHING))).contains("ok rung 3").contains("missing ladder no rung answers")
                .endsWith("it sets the cookie visitor");
    }

    @Test
    void aRungThatCannotBeHadEndsTheTrialAtTheBaseline() throws Exception {
        List<Finding> findings = tried("test {value} != 2 && echo {value} > @D/rung", null);
        assertThat(lines(findings)).contains("ok rung 1").contains("MISSING rung 2").doesNotContain("rung 3");
        assertThat(Files.readString(rung()).strip()).isEqualTo("0");
    }

    @Test
    void nothingIsTriedWhileAnAgentHasTheJournalOrAnotherRungIsInForce() throws Exception {
        AgentConfig config = config("true {value}");
        try (Journal taken = new Journal(config.journal(), Clock.systemUTC(), config.vocabulary().knobs())) {
            assertThat(taken.failure()).isNull();
            assertThat(lines(tried("echo {value} > @D/rung", null))).startsWith("MISSING ladder cannot open the journal");
        }
        try (TierLock other = ByHand.lock(config)) {
            other.hold(config.withMode(Mode.ACT).servers());
            assertThat(lines(tried("true {value}", null))).startsWith("MISSING ladder another agent manages");
        }
        Files.writeString(rung(), "1\n");
        assertThat(lines(tried("echo {value} > @D/rung", null))).contains("mitigation 1; run \"ic2 restore\" first");
        assertThat(Files.readString(rung()).strip()).isEqualTo("1");
        assertThat(visits).hasValue(0);
    }

    @Test
    void thePageMustBeOne() throws Exception {
        CommandLine line = Ic2.commandLine();
        StringWriter errors = new StringWriter();
        line.setErr(new PrintWriter(errors));
        int status = line.execute("check", "-c", file("true {value}").toString(), "--ladder", "localhost");
        assertThat(status).isEqualTo(Ic2.USAGE);
        assertThat(errors.toString()).contains("--ladder: expected the URL of a page");
    }

    private static final List<String> MODULES = List.of("alias", "cache", "cache_disk", "deflate", "dir", "env", "filter", "headers",
            "mime", "rewrite", "setenvif");

    /** A file as the application, with mitigation.conf before it. */
    private String shipped(Path place) throws IOException {
        Path mitigation = Path.of("../httpd-online/docs/mitigation.conf").toRealPath();
        Files.writeString(place.resolve("index.html"), "<title>Post</title>" + "x".repeat(5000));
        Path store = Files.createDirectory(place.resolve("store"));
        if (System.getProperty("user.name").equals("root")) {
            Files.setOwner(store, store.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("www-data"));
        }
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwx------"));
        return """
                TypesConfig /dev/null
                AddType text/html .html
                DirectoryIndex index.html
                Define MITIGATION_APPLICATION %s/index.html
                Define MITIGATION_STORE %s
                Include %s
                Header always set IC2-Mitigation "expr=%%{reqenv:MITIGATION}" "expr=-n reqenv('MITIGATION')"
                """.formatted(place, store, mitigation);
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
                URI.create(httpd.url()).resolve("/"), Optional.of("member=7")).findings();
    }

    private static void assertWell(List<Finding> findings) {
        assertThat(lines(findings)).matches("(?s)(ok rung [12] [^\n]* 0 of 3 from the cache\n){2}"
                + "(ok rung [3-6] mitigation [3-6]: 200 text/html \"Post\", \\d+ bytes, [23] of 3 from the cache\n?){4}");
    }

    /** What the trial sees of the shipped ladder fits what that does. */
    @Test
    @EnabledIf("httpdBuilt")
    void theShippedLadderIsWell() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path place = Files.createDirectory(directory.resolve("httpd"));
        try (RealHttpd httpd = new RealHttpd(place, MODULES, shipped(place))) {
            assertWell(triedShipped(httpd, "type: httpd-online, apachectl: " + httpd.apachectl()));
            assertThat(httpd.page()).contains("ReconfigureVariable: MITIGATION=0");
        }
    }

    @Test
    @EnabledIf("httpdBuilt")
    void theShippedLadderIsWellWithoutAPatch() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path place = Files.createDirectory(directory.resolve("httpd"));
        Path map = Files.writeString(place.resolve("mitigation.map"), "MITIGATION 0\n");
        try (RealHttpd httpd = RealHttpd.stock(place, MODULES, "Define MITIGATION_MAP " + map + "\n" + shipped(place))) {
            assertWell(triedShipped(httpd, "type: httpd-map, file: " + map));
            assertThat(map).hasContent("MITIGATION 0");
        }
    }

    static boolean httpdBuilt() {
        return RealHttpd.built();
    }

    @Test
    void endingItInTheMiddleRestores() throws Exception {
        String page = "http://127.0.0.1:" + server.getAddress().getPort() + "/post";
        AtomicInteger asked = new AtomicInteger();
        server.removeContext("/");
        server.createContext("/", exchange -> {
            if (!Files.readString(rung()).strip().equals("0")) {
                asked.incrementAndGet();
                return;     // never answered
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        Path config = file("echo {value} > @D/rung");
        try (AgentProcess agent = new AgentProcess(config, directory.resolve("journal.jsonl"))) {
            Process process = agent.ic2("check", "-c", config.toString(), "--ladder", page);
            Waiting.until("the page to be asked for on a rung", () -> asked.get() > 0);
            process.destroy();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(Files.readString(rung()).strip()).isEqualTo("0");
    }
}
