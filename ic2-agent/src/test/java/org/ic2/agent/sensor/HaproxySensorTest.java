// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.ic2.agent.servers.RealHaproxy;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorContext;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sensor {@code haproxy} with a real HAProxy, and with what is none. */
class HaproxySensorTest {

    private static final String HEAD = "# pxname,svname,qcur,status,weight,act\n";
    private static final String STATE = "1\n# be_id be_name srv_id srv_name srv_uweight srv_iweight\n2 web 1 web1 50 100\n2 web 2 web2 100 100\n\n";

    private static Sensor sensor(String settings) throws Exception {
        YamlMap map = YamlMap.parse("ic2.yaml", "{type: haproxy, " + settings + "}");
        return new SensorRegistry().parse(map).open(new SensorContext(new LocalHost(), Duration.ofSeconds(1), System::nanoTime));
    }

    private static Sensor of(RealHaproxy haproxy) throws Exception {
        return sensor("socket: " + haproxy.socket() + ", backend: web, server: web1");
    }

    @Test
    void theLargestShareOfTheOthersIsToldAsItIsInForce() throws Exception {
        assumeTrue(RealHaproxy.isThere());
        try (RealHaproxy haproxy = new RealHaproxy("server web1 127.0.0.1:9 weight 100", "server web2 127.0.0.1:9 weight 50",
                "server web3 127.0.0.1:9 weight 200", "server spare 127.0.0.1:9 backup")) {
            Sensor sensor = of(haproxy);
            assertThat(sensor.read().get(Sharing.PEERS)).isEqualTo(1);
            assertThat(sensor.read().get(Sharing.LOAD)).isEqualTo(1);
            assertThat(sensor.read().get(Sharing.WHOLE)).as("250 of 350 are others'").isEqualTo(250.0 / 350);
            haproxy.command("set server web/web2 weight 40%");
            assertThat(sensor.read().get(Sharing.LOAD)).as("350 of weight have become 320").isEqualTo(350.0 / 320);
            assertThat(sensor.read().get(Sharing.WHOLE)).as("of 350 the 200 of web3").isEqualTo(200.0 / 350);
            haproxy.command("set server web/web3 weight 62%");
            haproxy.command("set server web/web1 weight 30%");
            Reading all = sensor.read();
            assertThat(all.get(Sharing.PEERS)).isEqualTo(0.62);
            assertThat(all.get(Sharing.WHOLE)).isZero();
            assertThat(all.get(Sharing.LOAD)).isCloseTo(0.3 * 350 / 174, within(1e-9));
            assertThat(all.extras()).containsEntry("own_share", 0.3).containsEntry("peers", 2.0).containsEntry("takes_requests", 1.0);
            haproxy.command("set server web/web3 state drain");
            assertThat(sensor.read().get(Sharing.PEERS)).isEqualTo(0.4);
            assertThat(sensor.read().get(Sharing.LOAD)).as("who is drained gives up nothing of late").isCloseTo(0.3 * 150 / 50, within(1e-9));
            haproxy.command("set server web/web2 state maint");
            Reading alone = sensor.read();
            assertThat(alone.get(Sharing.PEERS)).as("a spare server is none that takes requests").isZero();
            assertThat(alone.extras()).containsEntry("peers", 0.0);
        }
    }

    @Test
    void thePageTellsTheSameWhereTheWeightOfTheFileIsGiven() throws Exception {
        assumeTrue(RealHaproxy.isThere());
        try (RealHaproxy haproxy = new RealHaproxy("server web1 127.0.0.1:9 weight 100", "server web2 127.0.0.1:9 weight 100")) {
            haproxy.command("set server web/web2 weight 45%");
            Sensor page = sensor("url: \"" + haproxy.url() + "\", weight: 100, backend: web, server: web1");
            assertThat(page.read().get(Sharing.PEERS)).isEqualTo(0.45);
            Sensor wrong = sensor("url: \"" + haproxy.url() + "\", weight: 50, backend: web, server: web1");
            assertThatThrownBy(wrong::read).isInstanceOf(IOException.class).hasMessageContaining("has a weight of 100 in force, and 50");
        }
    }

    @Test
    void aServerUnknownToHaproxyIsNamed() throws Exception {
        assumeTrue(RealHaproxy.isThere());
        try (RealHaproxy haproxy = new RealHaproxy("server web1 127.0.0.1:9", "server web2 127.0.0.1:9")) {
            assertThatThrownBy(sensor("socket: " + haproxy.socket() + ", backend: web, server: web9")::read).isInstanceOf(IOException.class)
                    .hasMessageContaining("has no server web9; there are web1, web2");
            assertThatThrownBy(sensor("socket: " + haproxy.socket() + ", backend: shop, server: web1")::read).isInstanceOf(IOException.class)
                    .hasMessageContaining("shop");
        }
    }

    @Test
    void withoutHaproxyNothingIsKnown() throws Exception {
        assertThatThrownBy(sensor("socket: /nowhere/h.sock, backend: web, server: web1")::read).isInstanceOf(IOException.class)
                .hasMessageContaining("cannot connect");
    }

    private static Reading answered(String text, String server) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> {
                try (Socket call = other.accept()) {
                    call.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
                    call.shutdownOutput();
                    call.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // the sensor has given up
                }
            });
            answering.start();
            try {
                return sensor("socket: \"127.0.0.1:" + other.getLocalPort() + "\", backend: web, server: " + server).read();
            } finally {
                answering.join();
            }
        }
    }

    @Test
    void columnsGoByTheirNames() throws Exception {
        assertThat(answered("# pxname,svname,weight,\"new, one\",act,status,qcur,\nweb,web1,50,\"a,b\",1,UP,0,\nweb,web2,80,x,1,UP 2/3,3,\n"
                + "shop,web3,100,x,1,UP,0,\nweb,BACKEND,130,x,2,UP,3,\n\n" + STATE, "web1").get(Sharing.PEERS)).isEqualTo(0.8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "hello\n", "HTTP/1.1 200 OK\n\n", HEAD, HEAD + STATE, HEAD + "web,web1,0,UP,50\n\n" + STATE,
        HEAD + "web,web1,0,UP,many,1\n\n" + STATE, HEAD + "web,web1,-1,UP,50,1\n\n" + STATE, HEAD + "web,web1,0,UP,200,1\n\n" + STATE,
        HEAD + "web,web1,0,UP,50,1\n", HEAD + "web,web1,0,UP,50,1\n\n1\n# be_id be_name srv_id srv_name\n2 web 1 web1\n",
        HEAD + "web,web1,0,UP,99999999999999,1\n\n" + STATE, "# pxname,svname\nweb,web1\n\n" + STATE, "Unknown command. Please enter one of:\n"})
    void garbageIsAnErrorAndNeverANumber(String text) {
        assertThatThrownBy(() -> answered(text, "web1")).isInstanceOf(IOException.class).hasMessageNotContaining("\n");
    }

    @Test
    void aHugeAnswerIsGivenUp() {
        assertThatThrownBy(() -> answered((HEAD + "web,web1,0,UP,50,1\n".repeat(20_000)).repeat(2), "web1")).isInstanceOf(IOException.class)
                .hasMessageContaining("more than");
    }

    @ParameterizedTest
    @ValueSource(strings = {"backend: web, server: web1", "socket: /run/h.sock, url: \"http://h/stats;csv\", weight: 1, backend: web, server: web1",
        "url: \"http://h/stats;csv\", backend: web, server: web1", "url: \"http://h/stats;csv\", weight: 0, backend: web, server: web1",
        "url: \"ftp://h/\", weight: 1, backend: web, server: web1", "socket: h, backend: web, server: web1", "socket: /run/h.sock, server: web1",
        "socket: /run/h.sock, backend: web", "socket: /run/h.sock, backend: \"web; shutdown\", server: web1"})
    void badSettingsAreOneLine(String settings) {
        assertThatThrownBy(() -> sensor(settings)).isInstanceOf(ConfigException.class).hasMessageStartingWith("ic2.yaml:1: ")
                .hasMessageNotContaining("\n");
    }
}
