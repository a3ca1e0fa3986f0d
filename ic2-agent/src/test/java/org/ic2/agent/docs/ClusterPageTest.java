// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.runtime.testing.FreePort;
import org.ic2.agent.servers.Processes;
import org.ic2.runtime.testing.Waiting;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of docs/cluster.md for balancers that the actuator {@code exec} drives do what the page says, but for addresses and paths. */
class ClusterPageTest {

    private static final Path PAGE = Path.of("../docs/cluster.md");
    private static final Path HTTPD = Path.of("../build/debian/httpd/bin/httpd");

    @TempDir
    private Path directory;

    private final LocalHost host = new LocalHost();
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<Processes> processes = new ArrayList<>();
    private final AtomicInteger ofTheFirst = new AtomicInteger();
    private int site;
    private int balancer;

    @AfterEach
    void end() throws Exception {
        servers.forEach(server -> server.stop(0));
        for (Processes each : processes) {
            each.end();
        }
    }

    /** The first text in that language under a heading. */
    private static String lines(String heading, String language) throws IOException {
        String section = Files.readString(PAGE).split("\n### " + heading + "\n")[1].split("\n##+ ")[0];
        Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(section);
        assertThat(block.find()).as("lines in %s under %s in %s", language, heading, PAGE).isTrue();
        return block.group(1);
    }

    private Actuator actuator(String yaml) throws Exception {
        YamlMap settings = YamlMap.parse("ic2.yaml", yaml).map("members").map("web").map("actuators").map("balancer");
        return new ActuatorRegistry().parse(settings, Optional.empty()).open(host);
    }

    private static Settings share(Actuator actuator, int percent) {
        Knob knob = actuator.levers().iterator().next();
        assertThat(knob.key()).isEqualTo("share");
        return Settings.of(knob, percent);
    }

    /** Two servers of one port at addresses of their own; the first one counts. */
    private void serve() throws Exception {
        site = FreePort.any();
        balancer = FreePort.any();
        for (int i = 1; i <= 2; i++) {
            boolean first = i == 1;
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1" + i, site), 0);
            server.createContext("/", call -> {
                ofTheFirst.addAndGet(first ? 1 : 0);
                call.sendResponseHeaders(200, 2);
                call.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
                call.close();
            });
            server.start();
            servers.add(server);
        }
    }

    private void balance(String lines) throws Exception {
        boolean root = "root".equals(System.getProperty("user.name"));
        Path file = Files.writeString(directory.resolve("httpd.conf"), "ServerRoot \"" + HTTPD.toAbsolutePath().getParent().getParent().normalize()
                + "\"\nServerName localhost\nListen 127.0.0.1:" + balancer + "\n" + Stream.of("mpm_event", "authz_core", "authz_host", "slotmem_shm",
                "heartmonitor", "proxy", "proxy_http", "proxy_balancer", "lbmethod_heartbeat").map(name -> "LoadModule " + name + "_module modules/mod_" + name
                + ".so\n").collect(Collectors.joining()) + (root ? "User www-data\nGroup www-data\n" : "") + "DefaultRuntimeDir \"" + directory + "\"\nPidFile \""
                + directory + "/httpd.pid\"\nErrorLog \"" + directory + "/error.log\"\n" + lines + "ProxyPass \"/\" \"balancer://web/\"\n");
        Processes httpd = new Processes(new ProcessBuilder(HTTPD.toString(), "-f", file.toString(), "-DFOREGROUND").redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile()).start());
        processes.add(httpd);
        httpd.awaitStart("httpd", () -> {
            assertThat(httpd.alive()).as(Files.readString(directory.resolve("out"))).isTrue();
            return !answer().isEmpty();
        });
    }

    /** What the site answers: the page, or why there is none. */
    private String answer() throws InterruptedException {
        try {
            return new HttpGet(host, "http://127.0.0.1:" + balancer + "/").fetch();
        } catch (IOException e) {
            return e.getMessage().contains("503") ? "503" : "";
        }
    }

    /** A loop as the page has it, of the server with that number. */
    private void beat(int server) throws Exception {
        Path script = Files.writeString(directory.resolve("heartbeat" + server), filled(lines("mod_heartmonitor", "sh"), server));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        processes.add(new Processes(new ProcessBuilder(script.toString()).redirectErrorStream(true).redirectOutput(directory.resolve("beat").toFile())
                .start()));
    }

    private String filled(String lines, int server) {
        return lines.replace("http://10.0.0.5/", "http://127.0.0.1:" + balancer + "/").replace("--interface 10.0.0.11", "--interface 127.0.0.1" + server)
                .replace("/var/lib/ic2/share", directory + "/share" + server).replace("10.0.0.0/24", "127.0.0.0/8")
                .replace("27999", Integer.toString(balancer))
                .replaceAll("BalancerMember http://10\\.0\\.0\\.1(\\d)", "BalancerMember http://127.0.0.1$1:" + site);
    }

    /** Until of a hundred requests so many come to the first server, which is a matter of chance. */
    private void awaitOfTheFirst(int least, int most) throws Exception {
        Waiting.until(least + " to " + most + " of 100 requests", () -> {
            int before = ofTheFirst.get();
            for (int i = 0; i < 100; i++) {
                if (!answer().equals("ok")) {
                    return false;
                }
            }
            int count = ofTheFirst.get() - before;
            return count >= least && count <= most;
        });
    }

    @Test
    void aHeartbeatTellsTheShare() throws Exception {
        assumeTrue(Files.isExecutable(HTTPD), "needs build/debian: make wordpress");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        serve();
        balance(filled(lines("mod_heartmonitor", "apache"), 1));
        assertThat(answer()).as("before there is a heartbeat").isEqualTo("503");
        Files.writeString(directory.resolve("share1"), "100\n");
        beat(1);
        beat(2);        // whose agent has never said anything
        awaitOfTheFirst(35, 65);
        Actuator actuator = actuator(filled(lines("mod_heartmonitor", "yaml"), 1));
        actuator.checkMeans();
        assertThat(actuator.running()).isEqualTo(share(actuator, 100));
        actuator.apply(share(actuator, 25));
        assertThat(actuator.running()).isEqualTo(share(actuator, 25));
        awaitOfTheFirst(8, 32);
        actuator.apply(share(actuator, 100));
        awaitOfTheFirst(35, 65);
        processes.get(1).end();
        awaitOfTheFirst(0, 0);
        processes.get(2).end();
        Waiting.until("nobody is known to be there", () -> answer().equals("503"));
    }

    /** A director's command as far as these lines use it, which keeps a weight and says it as ipvsadm does; and ssh, which runs it by a shell. */
    @Test
    void lvsHearsTheWeightOfTheShare() throws Exception {
        Path weight = Files.writeString(directory.resolve("weight"), "100\n");
        Path said = directory.resolve("said");
        program("ssh", "test \"$1\" = lb || exit 255\nshift\nPATH=" + directory + ":$PATH exec sh -c \"$*\"\n");
        program("ipvsadm", "case $1 in\n-Sn) printf '%s\\n' '-A -t 10.0.0.5:80 -s wlc' \"-a -t 10.0.0.5:80 -r 10.0.0.11:80 -m -w $(cat " + weight
                + ")\" '-a -t 10.0.0.5:80 -r 10.0.0.12:80 -m -w 77' ;;\n-e) echo \"$@\" >>" + said + "; echo \"$8\" >" + weight + " ;;\n*) exit 2 ;;\nesac\n");
        Actuator actuator = actuator(lines("LVS", "yaml").replace("[ssh, ", "[" + directory.resolve("ssh") + ", "));
        assertThat(actuator.running()).isEqualTo(share(actuator, 100));
        actuator.apply(share(actuator, 62));
        assertThat(Files.readString(said)).isEqualTo("-e -t 10.0.0.5:80 -r 10.0.0.11:80 -m -w 62\n");
        assertThat(actuator.running()).isEqualTo(share(actuator, 62));
    }

    private void program(String name, String lines) throws IOException {
        Files.setPosixFilePermissions(Files.writeString(directory.resolve(name), "#!/bin/sh\n" + lines), PosixFilePermissions.fromString("rwx------"));
    }
}
