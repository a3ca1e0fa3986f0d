// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.agent.servers.AgentProcess;
import org.ic2.runtime.testing.FreePort;
import org.ic2.agent.servers.Processes;
import org.ic2.agent.servers.TestCertificate;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The actuator {@code httpd-balancer} with Debian's httpd before two servers, and with what is no balancer-manager. */
class HttpdBalancerTest {

    private static final Path HTTPD = Path.of("../build/debian/httpd/bin/httpd");
    private static final String MANAGER = "<?xml version='1.0'?>\n<httpd:manager>\n<httpd:balancers><httpd:balancer><httpd:name>balancer://web</httpd:name>"
            + "<httpd:nonce>12-ab</httpd:nonce><httpd:workers><httpd:worker><httpd:name>http://10.0.0.1</httpd:name>"
            + "<httpd:loadfactor>50.00</httpd:loadfactor></httpd:worker></httpd:workers></httpd:balancer></httpd:balancers></httpd:manager>";

    @TempDir
    private Path directory;

    private final LocalHost host = new LocalHost();
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<AtomicInteger> served = new ArrayList<>();
    private int port;
    private Processes httpd;
    private volatile CountDownLatch silence = new CountDownLatch(0);

    @AfterEach
    void end() throws Exception {
        servers.forEach(server -> server.stop(0));
        if (httpd != null) {
            httpd.end();
        }
    }

    private void start() throws Exception {
        start("http", "", List.of());
    }

    /** Waits for the balancer-manager only as far as it answers at all. */
    private void start(String scheme, String manager, List<String> modules) throws Exception {
        assumeTrue(Files.isExecutable(HTTPD), "needs build/debian: make wordpress");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (int i = 0; i < 2; i++) {
            AtomicInteger count = new AtomicInteger();
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", call -> {
                count.incrementAndGet();
                call.sendResponseHeaders(200, 2);
                call.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
                call.close();
            });
            server.start();
            servers.add(server);
            served.add(count);
        }
        port = FreePort.any();
        boolean root = "root".equals(System.getProperty("user.name"));
        Path file = directory.resolve("httpd.conf");
        Files.writeString(file, "ServerRoot \"" + HTTPD.toAbsolutePath().getParent().getParent().normalize() + "\"\nServerName localhost\nListen 127.0.0.1:" + port
                + "\n" + Stream.concat(Stream.of("mpm_event", "authz_core", "slotmem_shm", "proxy", "proxy_http", "proxy_balancer", "lbmethod_byrequests"),
                modules.stream()).map(name -> "LoadModule " + name + "_module modules/mod_" + name + ".so\n").collect(Collectors.joining())
                + (root ? "User www-data\nGroup www-data\n" : "") + "DefaultRuntimeDir \"" + directory + "\"\nPidFile \"" + directory + "/httpd.pid\"\nErrorLog \""
                + directory + "/error.log\"\n<Proxy balancer://web>\n" + servers.stream().map(server -> "  BalancerMember " + worker(server)
                + " loadfactor=100\n").collect(Collectors.joining()) + "</Proxy>\n<Location /balancer-manager>\n  SetHandler balancer-manager\n" + manager
                + "  ProxyPass \"!\"\n</Location>\nProxyPass \"/\" \"balancer://web/\"\n");
        httpd = new Processes(new ProcessBuilder(HTTPD.toString(), "-f", file.toString(), "-DFOREGROUND").redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile()).start());
        httpd.awaitStart("httpd", () -> {
            if (!httpd.alive()) {
                throw new AssertionError("httpd ended: " + Files.readString(directory.resolve("out")));
            }
            if (scheme.equals("http")) {
                return new HttpGet(host, "http://127.0.0.1:" + port + "/balancer-manager").fetch().contains("balancer");
            }
            try (Socket any = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return any.isConnected();
            }
        });
    }

    private static String worker(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private Actuator actuator(String url, String worker) throws ConfigException {
        return actuator(url, worker, "");
    }

    private Actuator actuator(String url, String worker, String more) throws ConfigException {
        YamlMap settings = YamlMap.parse("ic2.yaml", "{type: httpd-balancer, url: \"" + url + "\", balancer: web, worker: \"" + worker + "\"" + more + "}");
        return new ActuatorRegistry().parse(settings, Optional.empty()).open(host);
    }

    private static Settings share(int percent) {
        return Settings.of(Share.KNOB, percent);
    }

    private int ofTheFirst(int requests) throws Exception {
        int before = served.get(0).get();
        for (int i = 0; i < requests; i++) {
            new HttpGet(host, "http://127.0.0.1:" + port + "/").fetch();
        }
        return served.get(0).get() - before;
    }

    @Test
    void httpdGivesAServerTheShareThatItAsksFor() throws Exception {
        start();
        String url = "http://127.0.0.1:" + port + "/balancer-manager";
        Actuator actuator = actuator(url, worker(servers.get(0)));
        assertThat(actuator.running()).isEqualTo(share(100));
        actuator.checkMeans();
        actuator.apply(share(25));
        assertThat(actuator.running()).isEqualTo(share(25));
        assertThat(ofTheFirst(100)).as("a fifth: 25 of 125").isBetween(17, 23);
        assertThat(actuator(url, worker(servers.get(1))).running()).as("the other keeps its own").isEqualTo(share(100));
        actuator.close();
        assertThat(actuator(url, worker(servers.get(0))).running()).as("httpd keeps it when the agent has died").isEqualTo(share(25));
        Actuator next = actuator(url, worker(servers.get(0)));
        next.apply(share(100));
        assertThat(next.running()).as("what the next agent restores").isEqualTo(share(100));
        assertThat(ofTheFirst(100)).isBetween(45, 55);
        assertThatThrownBy(() -> actuator(url, "http://127.0.0.1:9").running()).isInstanceOf(IOException.class)
                .hasMessageContaining("says nothing of worker http://127.0.0.1:9");
        httpd.end();
        assertThatThrownBy(() -> next.apply(share(50))).isInstanceOf(NotDoneException.class).hasMessageContaining("cannot connect");
        assertThatThrownBy(next::running).isInstanceOf(IOException.class);
    }

    @Test
    void aManagerUnderTlsTakesAUserWithAPassword() throws Exception {
        TestCertificate.write(directory, "IP:127.0.0.1");
        byte[] hash = MessageDigest.getInstance("SHA-1").digest("Open 5esame".getBytes(StandardCharsets.US_ASCII));
        Files.writeString(directory.resolve("users"), "ic2:{SHA}" + Base64.getEncoder().encodeToString(hash) + "\n");
        Path password = Files.writeString(directory.resolve("password"), "Open 5esame\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        start("https", "  AuthType Basic\n  AuthName balancers\n  AuthUserFile \"" + directory + "/users\"\n  Require valid-user\n</Location>\nSSLEngine on\n"
                + "SSLCertificateFile \"" + directory + "/cert.pem\"\nSSLCertificateKeyFile \"" + directory + "/key.pem\"\n<Location /balancer-manager>\n",
                List.of("ssl", "authn_core", "authn_file", "auth_basic", "authz_user"));
        String url = "https://127.0.0.1:" + port + "/balancer-manager";
        Actuator actuator = actuator(url, worker(servers.get(0)), ", ca-file: " + directory + "/cert.pem, user: ic2, password-file: " + password);
        actuator.apply(share(25));
        assertThat(actuator.running()).isEqualTo(share(25));
        assertThat(actuator.name()).doesNotContain("5esame");
        Files.writeString(password, "another\n");
        assertThatThrownBy(() -> actuator.apply(share(50))).isInstanceOf(NotDoneException.class).hasMessageContaining("401").hasMessageNotContaining("another");
        assertThatThrownBy(() -> actuator("http" + url.substring(5), worker(servers.get(0))).running()).as("no TLS").isInstanceOf(IOException.class);
        assertThatThrownBy(() -> actuator(url, worker(servers.get(0))).running()).isInstanceOf(IOException.class).hasMessageContaining("is signed by nobody");
    }

    /** The balancer-manager, which does what it is told, but tells nobody while the latch is up. */
    private HttpServer silent(String url) throws IOException {
        HttpServer between = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        between.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }));
        between.createContext("/balancer-manager", call -> {
            try (call) {
                String form = new String(call.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII);
                byte[] page = (form.isEmpty() ? new HttpGet(host, url + "?xml=1").fetchFromItself() : new HttpGet(host, url).post(form))
                        .getBytes(StandardCharsets.UTF_8);
                if (!form.isEmpty()) {
                    silence.await();
                }
                call.sendResponseHeaders(200, page.length);
                call.getResponseBody().write(page);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        between.start();
        servers.add(between);
        return between;
    }

    @Test
    void theShareOfAKilledAgentIsTakenBackAtTheServicesEndAndByTheNextAgent() throws Exception {
        start();
        String url = "http://127.0.0.1:" + port + "/balancer-manager";
        String worker = worker(servers.get(0));
        Actuator seen = actuator(url, worker);
        Path journal = directory.resolve("state/journal.jsonl");
        try (FakeHttpd site = new FakeHttpd(Files.createDirectory(directory.resolve("site")))) {
            Path config = Files.writeString(directory.resolve("ic2.yaml"), """
                    application: shop
                    interval: 200ms
                    mode: act
                    members:
                      web:
                        role: web
                        sensors: {response: {type: mod-status, url: "%s"}}
                        actuators: {balancer: {type: httpd-balancer, url: "%s/balancer-manager", balancer: web, worker: "%s"}}
                    baseline: {share: 100}
                    bounds: {share: [20, 100]}
                    share: computed
                    journal: %s
                    """.formatted(site.url(), worker(silent(url)), worker, journal));
            try (AgentProcess agent = new AgentProcess(config, journal)) {
                killInTheMiddle(agent, seen);
                agent.start();
                assertThat(seen.running()).as(agent.log()).isEqualTo(share(100));
                agent.terminate();
                killInTheMiddle(agent, seen);
                Process end = agent.ic2("restore", "--if-left", "-c", config.toString());
                assertThat(end.waitFor(300, TimeUnit.SECONDS)).isTrue();
                assertThat(seen.running()).as(agent.log()).isEqualTo(share(100));
            }
        }
    }

    /** As the kernel or an administrator kills it, with httpd told and nobody there who knows. */
    private void killInTheMiddle(AgentProcess agent, Actuator seen) throws Exception {
        agent.start();
        silence = new CountDownLatch(1);
        Thread asking = new Thread(() -> {
            try {
                agent.ask("{\"verb\":\"apply\",\"share\":25}");
            } catch (IOException e) {
                // the agent was killed while we waited
            }
        });
        asking.start();
        agent.await(() -> seen.running().equals(share(25)));
        agent.kill();
        silence.countDown();
        asking.join();
        assertThat(seen.running()).as("httpd keeps it").isEqualTo(share(25));
    }

    private Settings answered(String page) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> {
                try (Socket call = other.accept()) {
                    call.getOutputStream().write(("HTTP/1.1 200 OK\r\n\r\n" + page).getBytes(StandardCharsets.UTF_8));
                    call.shutdownOutput();
                    call.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // the agent has given up
                }
            });
            answering.start();
            try {
                return actuator("http://127.0.0.1:" + other.getLocalPort() + "/balancer-manager", "http://10.0.0.1").running();
            } finally {
                answering.join();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://10.0.0.11:8443", "ajp://10.0.0.11:8009", "http://10.0.0.11/shop"})
    void aWorkerIsAnyUrlOfABalancerMember(String worker) throws Exception {
        assertThat(actuator("http://10.0.0.5/balancer-manager", worker).name()).contains(worker);
    }

    @Test
    void theLeastShareIsRead() throws Exception {
        assertThat(answered(MANAGER.replace("50.00", "5.00"))).isEqualTo(share(5));
    }

    @Test
    void thePageIsReadByItsNames() throws Exception {
        assertThat(answered(MANAGER)).isEqualTo(share(50));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>It works!</html>", "<httpd:manager></httpd:manager>", "<httpd:name>balancer://web</httpd:name>",
        "<httpd:name>balancer://web</httpd:name></httpd:balancer>"})
    void anyPageButABalancerManagerIsRefused(String page) {
        assertThatThrownBy(() -> answered(page)).isInstanceOf(IOException.class).hasMessageContaining("says nothing of").hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "50", "-1.00", "1000.00", "4.00", "0.00"})
    void aLoadFactorThatIsNoShareIsAnError(String factor) {
        assertThatThrownBy(() -> answered(MANAGER.replace("50.00", factor))).isInstanceOf(IOException.class).hasMessageContaining("load");
    }

    @Test
    void theLeastShareOfALoadFactorIsOneThatHttpdTakes() throws Exception {
        ActuatorPlan plan = new ActuatorRegistry().parse(YamlMap.parse("ic2.yaml", "{type: httpd-balancer, url: \"http://a/b\", balancer: web,"
                + " worker: \"http://a\", load-factor: 5}"), Optional.empty());
        plan.fit(share(100), new Bounds(share(20), share(100)), plan.levers());
        assertThatThrownBy(() -> plan.fit(share(100), new Bounds(share(15), share(100)), plan.levers())).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:1: ").hasMessageContaining("load-factor: expected 7 to 100").hasMessageEndingWith("got 5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"balancer: web, worker: \"http://a\"", "url: \"ftp://a/b\", balancer: web, worker: \"http://a\"",
        "url: \"http://a/b\", worker: \"http://a\"", "url: \"http://a/b\", balancer: \"w b\", worker: \"http://a\"", "url: \"http://a/b\", balancer: web",
        "url: \"http://a/b\", balancer: web, worker: \"http://a\", load-factor: 0", "url: \"http://a/b\", balancer: web, worker: \"http://a\", load-factor: 101",
        "url: \"http://a/b\", balancer: web, worker: \"a b\"", "url: \"http://a/b\", balancer: web, worker: \"http://a\", user: ic2, password-file: /x",
        "url: \"https://a/b\", balancer: web, worker: \"http://a\", user: ic2", "url: \"http://a/b\", balancer: web, worker: \"http://a\", ca-file: /x"})
    void badSettingsAreOneLine(String settings) {
        assertThatThrownBy(() -> new ActuatorRegistry().parse(YamlMap.parse("ic2.yaml", "{type: httpd-balancer, " + settings + "}"), Optional.empty()))
                .isInstanceOf(ConfigException.class).hasMessageStartingWith("ic2.yaml:1: ").hasMessageNotContaining("\n");
    }
}
