// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.sensor.PhpFpmSensor;
import org.ic2.agent.servers.HelperSocket;
import org.ic2.agent.servers.RealPhpFpm;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.actuator.DeadlineActuator;
import org.ic2.runtime.actuator.ExecActuator;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Each actuator against a script, or the real server where it is installed. */
class ActuatorsTest {

    private final LocalHost host = new LocalHost();

    @TempDir
    private Path directory;

    @Test
    void httpdOnlineSetsAndReadsBack() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory)) {
            HttpdOnlineActuator actuator = online(httpd, Optional.empty());
            assertThat(actuator.running().values()).containsEntry(Lever.MAX_REQUEST_WORKERS, 650)
                    .containsEntry(Lever.KEEP_ALIVE_TIMEOUT, 5000).containsEntry(Lever.MITIGATION, 0);
            actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400, Lever.KEEP_ALIVE_TIMEOUT, 15_000, Lever.MITIGATION, 2)));
            assertThat(httpd.running()).isEqualTo("MaxRequestWorkers=400 KeepAliveTimeout=15000ms MITIGATION=2");
            assertThat(actuator.running().values()).containsEntry(Lever.MITIGATION, 2);
            httpd.set("refuse", "");
            assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.MITIGATION, 1)))).isInstanceOf(IOException.class)
                    .hasMessageContaining("refused for the test").hasMessageContaining("MITIGATION=1");
        }
    }

    @Test
    void theHelperNumbersWhatItAcceptsAndGoesOnFromWhatItHasHeard() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory)) {
            HelperSocket helper = new HelperSocket(directory, httpd.apachectl());
            HttpdOnlineActuator actuator = online(httpd, Optional.of(new Endpoint.Unix(helper.path().toString())));
            actuator.apply(Settings.of(Map.of(Lever.MITIGATION, 2)));
            long first = Long.parseLong(Files.readString(directory.resolve("orders")).split(" ")[0]);
            Files.writeString(directory.resolve("orders"), first + 1_000_000_000_000L + " 0\n");
            actuator.apply(Settings.of(Map.of(Lever.MITIGATION, 1)));
            assertThat(httpd.running()).as("of a machine that is up for longer").contains("MITIGATION=1");
            httpd.set("refuse", "");
            assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.MITIGATION, 0))))
                    .isInstanceOf(NotDoneException.class).hasMessageContaining("refused for the test");
            helper.close();
            assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.MITIGATION, 0))))
                    .as("nobody there").isInstanceOf(NotDoneException.class);
        }
    }

    @Test
    void rootsBoundsAreToldWhereTheyAreNarrowerThanHttpds() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory); HelperSocket helper = new HelperSocket(directory, httpd.apachectl())) {
            HttpdOnlineActuator actuator = online(httpd, Optional.of(new Endpoint.Unix(helper.path().toString())));
            assertThat(actuator.allowed().highest().get(Lever.KEEP_ALIVE_TIMEOUT)).as("the helper's default").isEqualTo(120_000);
            Files.writeString(directory.resolve("conf"), "MaxRequestWorkers=200..400\nKeepAliveTimeout=5s..9999s\nMITIGATION=1..4\n");
            assertThat(actuator.allowed()).isEqualTo(new Bounds(
                    Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 200, Lever.KEEP_ALIVE_TIMEOUT, 5000, Lever.MITIGATION, 1)),
                    Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400, Lever.KEEP_ALIVE_TIMEOUT, 3_600_000, Lever.MITIGATION, 4))));
        }
    }

    @Test
    void aStatusPageThatHangsHoldsUpNoOrder() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory);
                DeadlineActuator actuator = new DeadlineActuator(online(httpd, Optional.empty()))) {
            httpd.hang(true);
            actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400, Lever.MITIGATION, 0)));
            assertThat(httpd.running()).contains("MaxRequestWorkers=400");
        }
    }

    @Test
    void aHangingHelperDelaysNothingBeyondTheCommandsDeadline() throws Exception {
        Path socket = directory.resolve("mute.sock");
        try (FakeHttpd httpd = new FakeHttpd(directory); ServerSocketChannel mute =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            mute.bind(UnixDomainSocketAddress.of(socket));
            HttpdOnlineActuator actuator = online(httpd, Optional.of(new Endpoint.Unix(socket.toString())));
            assertThat(actuator.applyTime()).isEqualTo(Duration.ofSeconds(12));
            try (DeadlineActuator patient = new DeadlineActuator(actuator, Duration.ofMillis(300))) {
                long begun = System.nanoTime();
                assertThatThrownBy(() -> patient.apply(Settings.of(Map.of(Lever.MITIGATION, 2))))
                        .isInstanceOf(IOException.class).isNotInstanceOf(NotDoneException.class)
                        .hasMessageContaining("no answer");
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(actuator.applyTime());
            }
        }
    }

    @Test
    void httpdOnlineLowersNoFurtherThanHeldWorkersAllowAndSaysWhy() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory)) {
            HttpdOnlineActuator actuator = online(httpd, Optional.empty());
            httpd.set("held", "500");
            assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400, Lever.MITIGATION, 2))))
                    .isInstanceOf(NotDoneException.class).hasMessageContaining("down to 501 and not to 400")
                    .hasMessageContaining("hold 500 workers");
            assertThat(httpd.running()).isEqualTo("MaxRequestWorkers=501 KeepAliveTimeout=5000ms MITIGATION=2");
            actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 550)));
            actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 501)));
            httpd.set("held", "501");
            assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400, Lever.MITIGATION, 0))))
                    .isInstanceOf(NotDoneException.class).hasMessageContaining("down to 501 and not to 400");
            assertThat(httpd.running()).as("never raised, and all else is done")
                    .isEqualTo("MaxRequestWorkers=501 KeepAliveTimeout=5000ms MITIGATION=0");
            httpd.set("held", null);
            actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400)));
            assertThat(httpd.running()).startsWith("MaxRequestWorkers=400 ");
        }
    }

    /** Debian's apachectl knows its own words and takes what begins with another one for httpd's arguments. */
    @Test
    void httpdOnlineSpeaksToDebiansApachectl() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory)) {
            String debians = script("debians", "case $1 in -*) exec " + httpd.apachectl()
                    + " \"$@\" ;; esac; echo 'Usage: httpd [-k start|restart|...]'; exit 1");
            for (List<String> command : List.of(List.of(debians), List.of("env", debians), List.of(debians, "-k"))) {
                new HttpdOnlineActuator(new OnlineHttpd(host, command, Optional.empty(), new HttpGet(host, httpd.url())), "MITIGATION", false)
                        .apply(Settings.of(Map.of(Lever.MITIGATION, command.size())));
                assertThat(httpd.running()).endsWith("MITIGATION=" + command.size());
                httpd.set("running", "MaxRequestWorkers=650 KeepAliveTimeout=5000ms MITIGATION=0\n");
            }
        }
    }

    private HttpdOnlineActuator online(FakeHttpd httpd, Optional<Endpoint> helper) {
        return new HttpdOnlineActuator(new OnlineHttpd(host, List.of(httpd.apachectl().toString()), helper,
                new HttpGet(host, httpd.url())), "MITIGATION", false);
    }

    @Test
    void httpdBasicEditsTheTunablesAndPutsThemBackWhenRefused() throws Exception {
        Path tunables = directory.resolve("tunables.conf");
        Files.writeString(tunables, "# ours\nMaxRequestWorkers 650\nKeepAliveTimeout 5\n");
        Path log = directory.resolve("log");
        HttpdBasicActuator actuator = new HttpdBasicActuator(host,
                List.of(script("apachectl", "echo \"$@\" >>" + log), "-k"), tunables.toString(), Optional.empty(),
                Duration.ofSeconds(60));
        assertThat(actuator.running().values()).containsEntry(Lever.KEEP_ALIVE_TIMEOUT, 5000);
        actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 400, Lever.KEEP_ALIVE_TIMEOUT, 15_500)));
        assertThat(tunables).hasContent("# ours\nMaxRequestWorkers 400\nKeepAliveTimeout 15500ms\n");
        assertThat(log).hasContent("-k graceful\n");
        assertThat(actuator.running().values()).containsEntry(Lever.MAX_REQUEST_WORKERS, 400)
                .containsEntry(Lever.KEEP_ALIVE_TIMEOUT, 15_500);
        HttpdBasicActuator refused = new HttpdBasicActuator(host,
                List.of(script("broken", "echo 'Syntax error on line 3'; exit 1")), tunables.toString(),
                Optional.empty(), Duration.ZERO);
        assertThatThrownBy(() -> refused.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 300))))
                .isInstanceOf(IOException.class).hasMessageContaining("Syntax error on line 3");
        assertThat(tunables).content().contains("MaxRequestWorkers 400");
    }

    @Test
    void aDirectiveThatIsMissingIsAdded() {
        DirectiveFile file = new DirectiveFile("KeepAliveTimeout", " ");
        assertThat(file.with("MaxRequestWorkers 5", "1000ms")).isEqualTo("MaxRequestWorkers 5\nKeepAliveTimeout 1000ms\n");
        assertThat(file.value("keepalivetimeout 3\n#KeepAliveTimeout 9\n")).contains("3");
        assertThat(new DirectiveFile("pm.max_children", "=").with(";pm.max_children = 1\npm.max_children=5\n", "7"))
                .isEqualTo(";pm.max_children = 1\npm.max_children = 7\n");
    }

    @Test
    void execPutsOnlyAnIntegerIntoTheCommand() throws Exception {
        Path value = directory.resolve("value");
        Files.writeString(value, "threads in pool web: 200\n");
        ExecActuator actuator = new ExecActuator(host, Lever.MAX_REQUEST_WORKERS,
                List.of(script("set", "echo \"threads in pool web: ${1#--size=}\" >" + value), "--size={value}"),
                List.of("cat", value.toString()), Duration.ZERO);
        assertThat(actuator.running().values()).containsEntry(Lever.MAX_REQUEST_WORKERS, 200);
        actuator.apply(Settings.of(Map.of(Lever.MAX_REQUEST_WORKERS, 120)));
        assertThat(actuator.running().values()).containsEntry(Lever.MAX_REQUEST_WORKERS, 120);
        Files.writeString(value, "no number\n");
        assertThatThrownBy(actuator::running).isInstanceOf(IOException.class).hasMessageContaining("no number");
    }

    @Test
    void phpPoolsRefuseASizeThatNoPoolHas() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory)) {
            PhpPoolsActuator pools = new PhpPoolsActuator(new OnlineHttpd(host,
                    List.of(httpd.apachectl().toString()), Optional.empty(), new HttpGet(host, httpd.url())), "MITIGATION",
                    List.of(1, 3));
            pools.apply(Settings.of(Map.of(Lever.PHP_MAX_CHILDREN, 3)));
            assertThat(pools.running().values()).containsEntry(Lever.PHP_MAX_CHILDREN, 3);
            assertThatThrownBy(() -> pools.apply(Settings.of(Map.of(Lever.PHP_MAX_CHILDREN, 2)))).isInstanceOf(IOException.class)
                    .hasMessageContaining("[1, 3]");
        }
    }

    static boolean phpFpmInstalled() {
        return RealPhpFpm.installed();
    }

    @Test
    @EnabledIf("phpFpmInstalled")
    void realPhpFpmIsReloadedAHungOneIsMissingAndADeadOneSaysSo() throws Exception {
        try (RealPhpFpm fpm = new RealPhpFpm(directory)) {
            PhpFpmSensor sensor = sensor(fpm.status());
            PhpFpmActuator actuator = new PhpFpmActuator(host, fpm.pool().toString(), fpm.pidFile().toString(),
                    fpm.command(), Optional.of(sensor(fpm.status())), Duration.ofSeconds(60));
            Waiting.until("two children", () -> actuator.running().get(Lever.PHP_MAX_CHILDREN) == 2);
            actuator.checkMeans();
            actuator.apply(Settings.of(Map.of(Lever.PHP_MAX_CHILDREN, 5)));
            Waiting.until("five children", () -> actuator.running().get(Lever.PHP_MAX_CHILDREN) == 5);
            assertThat(sensor.read().get(Metric.PHP)).isEqualTo(5);

            try (DeadlineSensor watched = new DeadlineSensor("web.php", sensor);
                    DeadlineActuator patient = new DeadlineActuator(actuator)) {
                Waiting.until("no answer, of a child that was just born either", () -> {
                    fpm.freeze();
                    return watched.readWithin(Duration.ofMillis(300)).problem().filter(problem -> problem.contains("deadline")).isPresent();
                });
                assertThatThrownBy(patient::running).isInstanceOf(IOException.class).hasMessageContaining("no answer");
                fpm.thaw();
                Waiting.until("an answer", () -> watched.readWithin(Duration.ofSeconds(1)).problem().isEmpty());
            }
            fpm.killMaster();
            assertThatThrownBy(actuator::running).isInstanceOf(IOException.class).hasMessageContaining("not running");
            assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.PHP_MAX_CHILDREN, 2))))
                    .isInstanceOf(IOException.class).hasMessageContaining("not running");
            assertThat(fpm.pool()).as("nothing is edited that nobody will read").content().contains("max_children = 5");
        }
    }

    @Test
    void aPoolThatHasNoChildrenYetIsNoSizeOfOne() throws Exception {
        Path pidFile = Files.writeString(directory.resolve("fpm.pid"), ProcessHandle.current().pid() + "\n");
        Path pool = Files.writeString(directory.resolve("pool.conf"), "pm.max_children = 5\n");
        assertThatThrownBy(() -> running(pool, pidFile, 0)).isInstanceOf(IOException.class).hasMessageContaining("no children yet");
        assertThat(running(pool, pidFile, 4).values()).containsEntry(Lever.PHP_MAX_CHILDREN, 4);
    }

    private Settings running(Path pool, Path pidFile, double children) throws Exception {
        Sensor status = new Sensor() {
            @Override
            public String name() {
                return "status";
            }

            @Override
            public Reading read() {
                return new Reading(Map.of(Metric.PHP, children), Map.of(), Optional.empty());
            }
        };
        return new PhpFpmActuator(host, pool.toString(), pidFile.toString(), List.of("true"), Optional.of(status), Duration.ofSeconds(60)).running();
    }

    private PhpFpmSensor sensor(Path status) {
        return new PhpFpmSensor(host, new Endpoint.Unix(status.toString()), "/status");
    }

    @Test
    @EnabledIf("phpFpmInstalled")
    void aPoolFileThatPhpFpmRefusesIsPutBack() throws Exception {
        Path pool = directory.resolve("pool.conf");
        Path pidFile = directory.resolve("pid");
        String before = "[www]\nlisten=" + directory.resolve("s") + "\npm = nonsense\npm.max_children = 2\n";
        Files.writeString(pool, before);
        Files.writeString(pidFile, ProcessHandle.current().pid() + "\n");
        PhpFpmActuator actuator = new PhpFpmActuator(host, pool.toString(), pidFile.toString(),
                List.of(RealPhpFpm.program(), "-R", "-y", pool.toString()), Optional.empty(), Duration.ZERO);
        assertThatThrownBy(() -> actuator.apply(Settings.of(Map.of(Lever.PHP_MAX_CHILDREN, 5)))).isInstanceOf(IOException.class)
                .hasMessageContaining("refuses");
        assertThat(pool).hasContent(before);
    }

    private String script(String name, String body) throws IOException {
        Path script = directory.resolve(name);
        Files.writeString(script, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script.toString();
    }
}
