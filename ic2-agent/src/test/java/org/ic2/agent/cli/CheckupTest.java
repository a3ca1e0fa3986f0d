// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.servers.TestCertificate;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code ic2 check} with the target of each sensor and each actuator broken in turn: refused, hung, garbage, dead, or a
 * file that is missing. In the settings, @D stands for the test's directory, @H for a web server, @C for a closed port. The cases share nothing and mostly wait for deadlines, so they run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class CheckupTest {

    private static final String ONLINE_PAGE = "src/test/resources/recorded/mod-status-online.txt";
    private static final String STOCK_PAGE = "src/test/resources/recorded/mod-status-stock.txt";
    private static final Duration DEADLINE = Duration.ofSeconds(1);
    /** For what answers, be it with an error. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Pattern TYPES = Pattern.compile("expected one of (.*), got");

    @TempDir
    private Path directory;

    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<ServerSocketChannel> sockets = new ArrayList<>();
    /** Nobody listens at its port, nor can anybody else. */
    private final Socket closed = new Socket();
    private HttpServer server;
    private int closedPort;

    @BeforeEach
    void place() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        page("/online", Files.readString(Path.of(ONLINE_PAGE)));
        page("/limits", Files.readString(Path.of(ONLINE_PAGE)) + "\nMaxRequestWorkersLeast: 25\nMaxRequestWorkersMost: 400\n");
        page("/refused", Files.readString(Path.of(ONLINE_PAGE)) + "\nReconfigureRefused: tunables.conf can be written by others\n");
        page("/stock", Files.readString(Path.of(STOCK_PAGE)));
        page("/standby", StandbyCheckTest.PAGE);
        page("/wall", Files.readString(Path.of(ONLINE_PAGE)) + "\nReconfigureVariable: MITIGATION_WALL=0\nStandbyWallFlag: 0\n");
        page("/no-wall", Files.readString(Path.of(ONLINE_PAGE)) + "\nReconfigureVariable: MITIGATION_WALL=0\n" + StandbyCheckTest.PAGE);
        page("/garbage", "<html>\u0000");
        page("/mapped", Files.readString(Path.of(STOCK_PAGE)));
        page("/strange", Files.readString(Path.of(STOCK_PAGE)));
        server.createContext("/hung", exchange -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        closed.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        closedPort = closed.getLocalPort();
        Files.writeString(directory.resolve("garbage"), "\u0000nonsense\n");
        fifo(directory.resolve("fifo"));
        Files.writeString(directory.resolve("dead.pid"), "4194303\n");
        Files.writeString(directory.resolve("alive.pid"), ProcessHandle.current().pid() + "\n");
        Files.writeString(directory.resolve("tunables"), "MaxRequestWorkers 650\nKeepAliveTimeout 5\n");
        Files.writeString(directory.resolve("pool"), "[www]\npm.max_children = 50\n");
        socket("hung.sock", "");
        socket("garbage.sock", "HTTP/1.1 400 Bad Request\r\n\r\n");
    }

    @Test
    void modStandbyIsAskedWhereAStatusPageIs() throws Exception {
        List<Finding> findings = check("sensors: {response: {type: mod-status, url: '@H/standby?auto'}, again: {type: mod-status, url: '@H/standby?auto'}}");
        assertThat(findings).filteredOn(finding -> finding.what().equals("standby")).extracting(Finding::word).contains("ok", "note");
        assertThat(findings).extracting(Finding::text).filteredOn(text -> text.startsWith("the store is ready")).hasSize(1);
    }

    /** The variable alone is no wall: nobody would see its flag. */
    @Test
    void aWallThatNobodyHasConfiguredIsMissing() throws Exception {
        String settings = "sensors: {response: {type: mod-status, url: '@H/%1$s?auto'}}, actuators: {httpd: {type: httpd-online, apachectl: /bin/true,"
                + " status-url: '@H/%1$s?auto', wall: true}}";
        List<Finding> without = check(settings.formatted("no-wall"));
        assertThat(of(without, "web.httpd").word()).isEqualTo("MISSING");
        assertThat(of(without, "web.httpd").text()).contains("tells of no wall", "add the line \"StandbyWall flag\" to the main server");
        assertThat(without).anyMatch(finding -> finding.what().equals("standby") && finding.word().equals("MISSING") && finding.text().contains("StandbyWall flag"));
        assertThat(of(check(settings.formatted("wall")), "web.httpd").word()).isEqualTo("ok");
    }

    private static void fifo(Path path) throws IOException {
        try {
            new ProcessBuilder("mkfifo", path.toString()).start().waitFor();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void page(String path, String text) {
        server.createContext(path, exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (path.equals("/mapped") || path.equals("/strange")) {
                exchange.getResponseHeaders().set("IC2-Mitigation", path.equals("/mapped") ? "0" : "(null)");
            }
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    /** A socket that answers every connection with a text, or never. */
    private void socket(String name, String answer) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(directory.resolve(name)));
        sockets.add(listener);
        if (answer.isEmpty()) {
            return;
        }
        threads.submit(() -> {
            while (true) {
                try (SocketChannel client = listener.accept()) {
                    client.read(ByteBuffer.allocate(4096));
                    client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
                }
            }
        });
    }

    @AfterEach
    void clear() throws IOException {
        end.countDown();
        server.stop(0);
        closed.close();
        for (ServerSocketChannel socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }

    private String filled(String settings) {
        return settings.replace("@D", directory.toString()).replace("@C", Integer.toString(closedPort))
                .replace("@H", "http://127.0.0.1:" + server.getAddress().getPort());
    }

    private List<Finding> check(String web) throws Exception {
        Path file = directory.resolve("ic2.yaml");
        Files.writeString(file, filled("""
                application: shop
                interval: %s
                mode: act
                members: {web: {role: web, %s}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 50, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], php-max-children: [50, 400], mitigation: [0, 4]}
                journal: @D/journal.jsonl
                """.formatted(web.contains("memory-latency, command") ? "2s" : "200ms", web)));
        if (web.contains("haproxy-agent") || web.contains("httpd-balancer")) {    // its lever comes with it alone
            Files.writeString(file, Files.readString(file).replace("mitigation: 0}", "mitigation: 0, share: 100}")
                    .replace("mitigation: [0, 4]}", "mitigation: [0, 4], share: [20, 100]}"));
        }
        boolean hangs = web.contains("hung");
        List<Finding> findings;
        int tries = 0;
        do { // what a busy machine lets miss its deadline is looked at again
            findings = new Checkup(new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file),
                    hangs ? DEADLINE : PATIENCE).findings();
        } while (!hangs && ++tries < 20 && findings.stream().anyMatch(finding -> finding.text().contains("no answer ")));
        return findings;
    }

    private static Finding of(List<Finding> findings, String what) {
        return findings.stream().filter(finding -> finding.what().equals(what)).findFirst()
                .orElseThrow(() -> new AssertionError("nothing about " + what + " in " + findings));
    }

    private static void assertBroken(Finding finding, String expected) {
        assertThat(finding.ok()).as(finding.text()).isFalse();
        assertThat(finding.text()).contains(expected).doesNotContain("null");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "mod-status     | url: 'http://127.0.0.1:@C/server-status?auto'   | cannot connect",
        "mod-status     | url: '@H/hung?auto'                             | no answer before the deadline",
        "mod-status     | url: '@H/garbage?auto'                          | ?auto",
        "mod-status     | url: '@H/nowhere?auto'                          | a virtual host of its own",
        "accept-queue   | port: @C                                        | nothing listens",
        "accept-queue   | port: @C, pid-file: @D/none                     | @D/none",
        "accept-queue   | port: @C, pid-file: @D/garbage                  | expected a process id",
        "access-log     | file: @D/none                                   | no file",
        "access-log     | file: @D/fifo                                   | expected a regular file",
        "faban-log      | file: @D/none                                   | no file",
        "cgroup         | path: ic2-no-such-group                         | no control group",
        "run-delay      | pid-file: @D/none                               | @D/none",
        "run-delay      | pid-file: @D/dead.pid                           | not running",
        "run-delay      | pid-file: @D/garbage                            | expected a process id",
        "php-fpm        | status-listen: @D/none.sock                     | cannot connect",
        "php-fpm        | status-listen: @D/hung.sock                     | no answer before the deadline",
        "php-fpm        | status-listen: @D/garbage.sock                  | FastCGI",
        "perf           | target: {pid-file: @D/none}                     | @D/none",
        "perf           | target: {pid: 4194303}                          | 4194303 is not running",
        "perf           | target: {cgroup: ic2-no-such-group}             | no control group",
        "memory-latency | cgroup: ic2-no-such-group                       | no control group",
        "ocount         | target: {pid-file: @D/dead.pid}                 | 4194303 is not running",
        "ocount         | target: {pid-file: @D/alive.pid}                | ocount",
        "memory-latency | command: [@D/none]                              | cannot start",
        "memory-latency | command: [sh, -c, 'while echo garbage; do sleep 0.1; done'] | expected nanoseconds",
        "memory-latency | command: [sh, -c, 'exec sleep 99']              | printed nothing yet",
        "memory-latency | command: [sh, -c, 'echo out of memory; exit 3'] | out of memory",
    })
    void aBrokenSensorIsNamedWithWhatIsWrong(String type, String settings, String expected) throws Exception {
        List<Finding> findings = check("sensors: {broken: {type: " + type + ", " + settings + "}}");
        assertBroken(of(findings, "web.broken"), filled(expected));
    }

    @Test
    void aBrokenSensorIsNoReasonToSuggestAnother() throws Exception {
        List<Finding> findings = check("sensors: {response: {type: mod-status, url: '@H/nowhere?auto'}}");
        assertBroken(of(findings, "throughput"), "mend web.response (above), or add a sensor");
    }

    @Test
    void everySensorOfAMachineThatIsGoneSaysSo() throws Exception {
        Set<String> types = types("sensors: {x: {type: none}}");
        assertThat(types).contains("sysstat", "psi", "load-average");
        StringBuilder sensors = new StringBuilder();
        for (String type : types) {
            String settings = switch (type) {
                case "mod-status" -> ", url: '@H/online?auto'";
                case "accept-queue" -> ", port: 80";
                case "access-log", "faban-log" -> ", file: @D/log";
                case "cgroup" -> ", path: web";
                case "other-groups" -> ", tier: [web]";
                case "php-fpm" -> ", status-listen: @D/x.sock";
                case "perf", "ocount" -> ", target: {pid: 1}";
                case "haproxy" -> ", socket: @D/h.sock, backend: web, server: web1";
                case "host-notice" -> ", file: @D/notice.json";
                default -> "";
            };
            sensors.append(type).append(": {type: ").append(type).append(settings).append("}, ");
        }
        List<Finding> findings = check("host: 'ssh://nobody@127.0.0.1:@C', sensors: {" + sensors + "}");
        for (String type : types) {
            assertBroken(of(findings, "web." + type), "");
        }
    }

    /** The names that the registry knows, as its own message lists them. */
    private Set<String> types(String web) {
        try {
            Assertions.fail("expected a refusal of the unknown type, got " + check(web));
            throw new AssertionError();
        } catch (ConfigException e) {
            Matcher names = TYPES.matcher(e.getMessage());
            assertThat(names.find()).as(e.getMessage()).isTrue();
            return new TreeSet<>(List.of(names.group(1).split(", ")));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "httpd-online | apachectl: 'true', status-url: 'http://127.0.0.1:@C/s?auto'       | cannot connect",
        "httpd-online | apachectl: 'true', status-url: '@H/hung?auto'                     | no answer within",
        "httpd-online | apachectl: 'true', status-url: '@H/garbage?auto'                  | ?auto",
        "httpd-online | apachectl: 'true', status-url: '@H/nowhere?auto'                  | a virtual host of its own",
        "httpd-online | apachectl: 'true', status-url: '@H/stock?auto'                    | install httpd-online",
        "httpd-online | apachectl: 'true', status-url: '@H/refused?auto'                  | tunables.conf can be written by others",
        "httpd-online | apachectl: @D/none, status-url: '@H/online?auto'                  | cannot run @D/none",
        "httpd-online | apachectl: @D/garbage, status-url: '@H/online?auto'               | not executable",
        "httpd-online | helper: @D/none.sock, status-url: '@H/online?auto'                | ic2-reconfigure.socket",
        "httpd-online | apachectl: 'true', mitigation-variable: OTHER, status-url: '@H/online?auto' | ReconfigureVariable",
        "httpd-map    | file: @D/garbage, status-url: 'http://127.0.0.1:@C/s?auto'         | cannot connect",
        "httpd-map    | file: @D/garbage, status-url: '@H/hung?auto'                      | no answer within",
        "httpd-map    | file: @D/garbage, status-url: '@H/stock?auto'                     | without the header IC2-Mitigation",
        "httpd-map    | file: @D/garbage, status-url: '@H/strange?auto'                   | without the header IC2-Mitigation: NUMBER",
        "httpd-map    | file: @D/garbage, status-url: '@H/mapped?auto'                    | chmod o+x @D",
        "httpd-map    | file: @D/none/map, status-url: '@H/mapped?auto'                   | there is no directory @D/none",
        "httpd-basic  | apachectl: 'true', tunables: @D/none                              | @D/none",
        "httpd-basic  | apachectl: 'true', tunables: @D/garbage                           | does not tell",
        "httpd-basic  | apachectl: @D/none, tunables: @D/tunables                         | cannot run @D/none",
        "httpd-basic  | apachectl: 'true', tunables: @D/tunables, status-url: 'http://127.0.0.1:@C/s?auto' | connect",
        "httpd-basic  | apachectl: 'true', tunables: @D/tunables, status-url: '@H/hung?auto' | no answer within",
        "php-fpm      | pool: @D/none, pid-file: @D/alive.pid, command: 'true'            | @D/none",
        "php-fpm      | pool: @D/garbage, pid-file: @D/alive.pid, command: 'true'         | pm.max_children",
        "php-fpm      | pool: @D/pool, pid-file: @D/none, command: 'true'                 | @D/none",
        "php-fpm      | pool: @D/pool, pid-file: @D/dead.pid, command: 'true'             | php-fpm is not running",
        "php-fpm      | pool: @D/pool, pid-file: @D/alive.pid, command: @D/none           | cannot run @D/none",
        "php-fpm      | pool: @D/pool, pid-file: @D/alive.pid, command: 'true', status-listen: @D/none.sock | connect",
        "php-fpm      | pool: @D/pool, pid-file: @D/alive.pid, command: 'true', status-listen: @D/hung.sock | no answer",
        "php-pools    | apachectl: 'true', status-url: 'http://127.0.0.1:@C/s?auto', sizes: [50, 400] | cannot connect",
        "php-pools    | apachectl: 'true', status-url: '@H/hung?auto', sizes: [50, 400]   | no answer within",
        "php-pools    | apachectl: 'true', variable: NOPOOL, status-url: '@H/online?auto', sizes: [50, 400] | no online variable NOPOOL",
        "php-pools    | apachectl: 'true', status-url: '@H/online?auto', sizes: [50, 400] | PHPPOOL is 0",
        "php-pools    | apachectl: @D/none, variable: MITIGATION, status-url: '@H/online?auto', sizes: [50, 400] | cannot run",
        "exec         | lever: mitigation, set: ['true', '{value}'], get: [@D/none]       | cannot run @D/none",
        "exec         | lever: mitigation, set: ['true', '{value}'], get: ['false']       | status 1",
        "exec         | lever: mitigation, set: ['true', '{value}'], get: [echo, many]    | many",
        "exec         | lever: mitigation, set: ['true', '{value}'], get: [sleep, '60']   | did not end within",
        "exec         | lever: mitigation, set: [@D/none, '{value}'], get: [echo, '0']    | cannot run @D/none",
        "httpd-balancer | url: 'http://127.0.0.1:@C/m', balancer: web, worker: 'http://10.0.0.1' | cannot connect",
        "httpd-balancer | url: '@H/hung', balancer: web, worker: 'http://10.0.0.1' | no answer within",
        "httpd-balancer | url: '@H/online', balancer: web, worker: 'http://10.0.0.1' | is it a balancer-manager?",
        "haproxy-agent | listen: '127.0.0.1:9777', allow: [127.0.0.1], control: @D/none.sock | ic2-share.socket",
        "haproxy-agent | listen: '127.0.0.1:9777', allow: [127.0.0.1], control: @D/hung.sock | no answer within",
    })
    void aBrokenActuatorIsNamedWithWhatIsWrong(String type, String settings, String expected) throws Exception {
        String lever = type.startsWith("php") ? "php-max-children" : type.equals("exec") || type.equals("httpd-map") ? "mitigation"
                : type.equals("haproxy-agent") || type.equals("httpd-balancer") ? "share" : "max-request-workers";
        List<Finding> findings = check("actuators: {broken: {type: " + type + ", " + settings + "}}}}\nlevers: ["
                + (expected.equals("ReconfigureVariable") ? "mitigation" : lever) + "]\n#");
        Finding finding = of(findings, "web.broken");
        assertBroken(finding, filled(expected));
        assertThat(finding.needed()).as("mode act cannot do without").isTrue();
    }

    @Test
    void everyTypeOfActuatorIsBrokenAbove() throws Exception {
        String[] cases = CheckupTest.class.getDeclaredMethod("aBrokenActuatorIsNamedWithWhatIsWrong", String.class,
                String.class, String.class).getAnnotation(CsvSource.class).value();
        Set<String> broken = new TreeSet<>();
        for (String line : cases) {
            broken.add(line.substring(0, line.indexOf('|')).strip());
        }
        assertThat(broken).isEqualTo(types("actuators: {x: {type: none}}"));
    }

    @Test
    void aWorkingActuatorIsWell() throws Exception {
        List<Finding> findings = check("actuators: {httpd: {type: httpd-online, apachectl: 'true', status-url:"
                + " '@H/online?auto'}}}}\nlevers: [mitigation]\n#");
        assertThat(of(findings, "web.httpd").ok()).as(of(findings, "web.httpd").text()).isTrue();
    }

    @Test
    void theInterfacesReadersAndItsCertificatesNamesAndEndAreReported() throws Exception {
        TestCertificate.write(directory, "DNS:web1.example");
        String tls = "tls: {certificate: @D/cert.pem, key: @D/key.pem}";
        Finding open = of(check("sensors: {}}}\nhttp: {listen: \"0.0.0.0:9464\", insecure-read-only: true}\n#"), "http");
        assertThat(open.ok()).isTrue();
        assertThat(open.text()).contains("everybody on any machine that reaches 0.0.0.0:9464 may read", "in the clear",
                "nothing can be changed over HTTP");
        Finding good = of(check("sensors: {}}}\nhttp: {" + tls + "}\n#"), "http.tls");
        assertThat(good.ok()).as(good.text()).isTrue();
        assertThat(good.text()).contains("cert.pem is valid until 20", ", for web1.example");
        Files.writeString(directory.resolve("key.pem"), "none");
        Finding bad = of(check("sensors: {}}}\nhttp: {" + tls + "}\n#"), "http.tls");
        assertBroken(bad, "key.pem: expected a key in PKCS #8");
        assertThat(bad.needed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "none    | rw-------  | @D/none: no such file",
        "fifo    | rw-------  | expected a regular file",
        "token   | rw-rw-rw-  | has mode rw-rw-rw-, so others may read or change it: chmod",
        "token   | rw-r--r--  | others may read",
        "token   | rw-rw----  | others may read or change",
        "garbage | rw-r-----  | ",
        "token   | rw-r-----  | is empty",
    })
    void aTokenThatIsNoSecretIsNamed(String file, String mode, String expected) throws Exception {
        Files.writeString(directory.resolve("token"), "is empty".equals(expected) ? " \n" : "secret\n");
        if (!file.equals("none")) {
            Files.setPosixFilePermissions(directory.resolve(file), PosixFilePermissions.fromString(mode));
        }
        Finding finding = of(check("sensors: {}}}\nhttp: {token-file: @D/" + file + "}\n#"), "http.token-file");
        if (expected == null) {
            assertThat(finding.ok()).as(finding.text()).isTrue();
        } else {
            assertBroken(finding, filled(expected));
            assertThat(finding.needed()).isTrue();
        }
    }

    @Test
    void aTargetBelowWhatIsNormalIsNamed() throws Exception {
        try (var learned = CheckupTest.class.getResourceAsStream("/org/ic2/agent/recorded/state.json")) {
            Files.write(directory.resolve("state.json"), learned.readAllBytes());
        }
        assertBroken(of(check("sensors: {}}}\ntarget-response-time: 30ms\n#"), "target-response-time"),
                "0.0300 s is below 0.0400 s, the median response time without interference");
        assertThat(check("sensors: {}}}\ntarget-response-time: 80ms\n#")).extracting(Finding::what)
                .doesNotContain("target-response-time", "state");
        String p95 = "sensors: {}}}\ntarget-response-time-of: p95\ntarget-response-time: 80ms\n#";
        assertThat(check(p95)).as("no percentile was learned").extracting(Finding::what).doesNotContain("target-response-time");
        String state = Files.readString(directory.resolve("state.json"));
        for (int samples : new int[] {MedianWindow.MIN_VALUES - 1, MedianWindow.MIN_VALUES}) {
            Files.writeString(directory.resolve("state.json"), state.replace("\"windows\":{",
                    "\"windows\":{\"RESPONSE_TIME_P95\":" + Collections.nCopies(samples, 0.12) + ","));
            assertThat(check(p95).stream().map(Finding::what).filter("target-response-time"::equals))
                    .hasSize(samples / MedianWindow.MIN_VALUES);
        }
        assertBroken(of(check(p95), "target-response-time"), "0.0800 s is below 0.120 s, the median response_time_p95 without");
        Files.writeString(directory.resolve("state.json"), "[[");
        assertBroken(of(check("sensors: {}}}\n#"), "state"), "cannot be read");
    }

    @Test
    void aBoundBeyondWhatTheServerTakesIsNamed() throws Exception {
        String actuator = "actuators: {httpd: {type: httpd-online, apachectl: 'true', status-url: '@H/limits?auto'}}}}\n"
                + "levers: [max-request-workers, keep-alive-timeout]\n#";
        Finding finding = of(check(actuator), "bounds.max-request-workers");
        assertBroken(finding, "[300, 650] leaves what the server takes, 25 to 400");
        assertThat(finding.needed()).isTrue();
        assertThat(check(actuator)).extracting(Finding::what).doesNotContain("bounds.keep-alive-timeout");
        assertThat(check(actuator.replace("/limits", "/online"))).as("a server that does not tell")
                .extracting(Finding::what).doesNotContain("bounds.max-request-workers");
    }

    @Test
    void aTreeThatTestsUnmeasuredQuantitiesIsNamedWithAnotherOne() throws Exception {
        try (var tree = CheckupTest.class.getResourceAsStream("/org/ic2/agent/tenant/by-hand.json")) {
            Files.write(directory.resolve("mine.json"), tree.readAllBytes());
        }
        String sensors = "sensors: {response: {type: mod-status, url: '@H/online?auto'}}}}\ndetector: {type: tree, model: ";
        assertBroken(of(check(sensors + "mine.json}\n#"), "classifier"), "it tests steal, which no sensor of web measures");
        assertThat(of(check(sensors + "mine.json}\n#"), "classifier").text()).contains("classifier-without-steal.json");
        assertThat(check(sensors + "classifier-without-steal.json}\n#")).extracting(Finding::what)
                .doesNotContain("classifier");
    }
}
