// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the kernel told of a web server in a network namespace, ten seconds apart: 30 pages/s of 30 KB through a link of 20 Mbit/s, the
 * last seven seconds beside a sender of UDP that fills it.
 */
class NetworkSensorTest {
    private final FakeHost host = new FakeHost();
    private final AtomicLong nanos = new AtomicLong();
    private final NetworkSensor sensor = new NetworkSensor(host, Optional.empty(), nanos::get);

    private static String recorded(String name) throws IOException {
        try (InputStream in = NetworkSensorTest.class.getResourceAsStream("network/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void kernel(String snmp, String dev) {
        host.files.put("/proc/net/snmp", snmp);
        host.files.put("/proc/net/dev", dev);
    }

    private Reading after(double seconds) throws Exception {
        nanos.addAndGet((long) (seconds * 1e9));
        return sensor.read();
    }

    @Test
    void aFullLinkShowsInTheSegmentsThatAreSentAgain() throws Exception {
        kernel(recorded("quiet.snmp"), recorded("quiet.dev"));
        assertThat(after(1).problem()).contains("first reading: rates need a second one");
        kernel(recorded("full-link.snmp"), recorded("full-link.dev"));
        Reading reading = after(10);
        // OutSegs 4,575 -> 10,746 and RetransSegs 119 -> 1,522
        assertThat(reading.values().get(Metric.RETRANSMITS)).isCloseTo(1403.0 / (6171 + 1403), within(1e-9));
        assertThat(reading.values()).containsEntry(Metric.SEND_DROPS, 0.0);
        assertThat(reading.problem()).isEmpty();
    }

    @Test
    void fewSegmentsTellNoShare() throws Exception {
        kernel(snmp(100, 0), dev(0));
        after(1);
        kernel(snmp(200, 50), dev(0));
        assertThat(after(1).values()).containsOnlyKeys(Metric.SEND_DROPS);
        kernel(snmp(250, 50), dev(0));
        assertThat(after(1).values()).as("of the last ten seconds").containsEntry(Metric.RETRANSMITS, 0.25);
        kernel(snmp(650, 50), dev(0));
        assertThat(after(10).values()).as("ten seconds later").containsEntry(Metric.RETRANSMITS, 0.0);
    }

    /** A database that answers nobody, or a full queue of connections, loses no segment of a page. */
    @Test
    void firstPacketsOfConnectionsThatAreSentAgainAreLeftOut() throws Exception {
        kernel(snmp(1000, 100), dev(0));
        host.files.put("/proc/net/netstat", "TcpExt: TW TCPSynRetrans\nTcpExt: 5 50\nIpExt: InOctets\nIpExt: 5\n");
        after(1);
        kernel(snmp(1300, 300), dev(0));
        host.files.put("/proc/net/netstat", "TcpExt: TW TCPSynRetrans\nTcpExt: 5 150\nIpExt: InOctets\nIpExt: 5\n");
        assertThat(after(1).values()).containsEntry(Metric.RETRANSMITS, 0.25);
        kernel(snmp(1600, 400), dev(0));
        host.files.put("/proc/net/netstat", "TcpExt: TW TCPSynRetrans\nTcpExt: 5 many\n");
        assertThat(after(10).values()).as("a kernel that does not tell").containsEntry(Metric.RETRANSMITS, 0.25);
    }

    @Test
    void packetsThatTheSendQueueDropsAreCountedOfAllInterfacesButTheLoopback() throws Exception {
        kernel(snmp(100, 0), dev(10));
        after(2);
        kernel(snmp(200, 0), dev(30));
        assertThat(after(2).values()).as("of two interfaces").containsEntry(Metric.SEND_DROPS, 20.0);
    }

    @Test
    void aCounterThatGoesBackHasNoRate() throws Exception {
        kernel(snmp(1000, 100), dev(10));
        after(1);
        kernel(snmp(2000, 100), dev(10));
        assertThat(after(1).values()).hasSize(2);
        kernel(snmp(100, 10), dev(0));
        assertThat(after(1).values()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Tcp:", "Tcp: OutSegs RetransSegs", "Tcp: OutSegs\nTcp: 5", "Tcp: OutSegs RetransSegs\nTcp: many -1",
        "Tcp: OutSegs RetransSegs\nTcp: 5", "\u0000\n\n::", "Udp: OutSegs RetransSegs\nUdp: 5 5", "Tcp: OutSegs RetransSegs\nTcp: 5 99999999999999999999"})
    void nonsenseIsNamedWithItsFile(String text) {
        kernel(text, dev(0));
        assertThatThrownBy(() -> after(1)).isInstanceOf(IOException.class).hasMessageMatching("expected a number (OutSegs|RetransSegs) in .*/proc/net/snmp");
    }

    @Test
    void aProcessOfAnotherNamespaceIsLookedAtWhereAsked() throws Exception {
        host.files.put("/run/httpd.pid", "77\n");
        host.files.put("/proc/77/net/snmp", snmp(1, 0));
        host.files.put("/proc/77/net/dev", "");
        assertThat(new NetworkSensor(host, Optional.of("/run/httpd.pid"), nanos::get).read().values()).isEmpty();
    }

    @Test
    void settings() throws ConfigException {
        for (String right : List.of("{type: network}", "{type: network, pid-file: /run/httpd.pid}")) {
            assertThat(new SensorRegistry().parse(YamlMap.parse("f", right))).isNotNull();
        }
        assertThatThrownBy(() -> new SensorRegistry().parse(YamlMap.parse("f", "{type: network, interface: eth0}"))).isInstanceOf(ConfigException.class);
    }

    private static String snmp(long sent, long again) {
        return "Ip: Forwarding\nIp: 1\nTcp: RtoMin OutSegs RetransSegs\nTcp: 200 " + sent + " " + again + "\nUdp: InDatagrams\nUdp: 5\n";
    }

    private static String dev(long drops) {
        return "Inter-| Receive | Transmit\n face |bytes packets errs drop\n    lo: 1 1 0 0 0 0 0 0 1 1 0 9999 0 0 0 0\n"
                + "  eth0:5 5 0 0 0 0 0 0 1 1 0 " + drops + " 0 0 0 0\n  eth1: 5 5 0 0 0 0 0 0 1 1 0 " + drops + " 0 0 0 0\n  odd: x\n";
    }
}
