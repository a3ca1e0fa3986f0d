// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.sensor.CounterRates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices as a kernel 6.1 showed them, with counters of the test's. */
class GuestTrafficTest {

    private static final String HEAD = """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
            """;
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path directory;
    private PlayedHost host;
    private final Map<String, Long> counters = new LinkedHashMap<>();
    private final CounterRates rates = new CounterRates();
    private GuestTraffic traffic;
    private long nanos;

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        traffic = new GuestTraffic(host);
        device("lo", 1, 1, 772);
        device("eth0", 2, 2, 1, "device/vendor");
        device("bond0", 3, 3, 1, "bonding/mode");
        device("br0", 4, 4, 1, "bridge/bridge_id", "brif/x");
        device("eth0.9", 5, 2, 1, "lower_eth0/mtu");
    }

    private void device(String name, int index, int link, int type, String... files) {
        String at = "/sys/class/net/" + name + "/";
        host.file(at + "ifindex", index + "\n");
        host.file(at + "iflink", link + "\n");
        host.file(at + "type", type + "\n");
        host.file(at + "uevent", "INTERFACE=" + name + "\nIFINDEX=" + index + "\n");
        List.of(files).forEach(file -> host.file(at + file, ""));
        counters.put(name, 1000L);
    }

    /** A second later each device has received and sent so much more. */
    private double after(long more) throws Exception {
        rates.begin(nanos);
        nanos += SECOND;
        StringBuilder text = new StringBuilder(HEAD);
        counters.replaceAll((name, bytes) -> bytes + more);
        counters.forEach((name, bytes) -> text.append(String.format("%6s: %d       5    0    0    0     0          0         0  %d       7"
                + "    0    0    0     0       0          0%n", name, bytes, 10 * bytes)));
        host.file("/proc/net/dev", text.toString());
        return traffic.rate(rates);
    }

    @Test
    void withoutDevicesOfGuestsThePhysicalOnesCountOnce() throws Exception {
        assertThat(after(0)).isNaN();
        assertThat(after(1_000_000)).isEqualTo(11 * 8.0);
        assertThat(after(0)).isZero();
        host.file("/sys/class/net/eth1/device/vendor", "");
        counters.put("eth1", 5L);
        assertThat(after(1_000_000)).as("a new one counts from its second reading on").isEqualTo(11 * 8.0);
        assertThat(after(1_000_000)).isEqualTo(2 * 11 * 8.0);
    }

    @Test
    void devicesOfGuestsCountInsteadWithEachPairOnce() throws Exception {
        device("vnet0", 10, 10, 1, "tun_flags");
        device("veth7", 11, 2, 1);      // its other end is elsewhere, where eth0's number is another's
        device("here1", 12, 13, 1);
        device("here2", 13, 12, 1);
        device("vxlan0", 14, 2, 1);
        host.file("/sys/class/net/vxlan0/uevent", "DEVTYPE=vxlan\nINTERFACE=vxlan0\n");
        device("sit0", 15, 0, 776);
        after(0);

        assertThat(after(1_000_000)).isEqualTo(3 * 11 * 8.0);
    }

    @Test
    void aDeviceThatWasMadeAnewHasNoRateAtFirst() throws Exception {
        device("vnet0", 10, 10, 1, "tun_flags");
        device("vnet1", 11, 11, 1, "tun_flags");
        after(1000);
        counters.put("vnet1", 0L);
        assertThat(after(1000)).isEqualTo(11 * 1000 * 8 / 1e6);
    }

    @Test
    void aHostWithoutAnyHasNoRateAndSaysWhy() throws Exception {
        counters.keySet().retainAll(List.of("lo", "br0"));
        assertThatThrownBy(() -> after(0)).isInstanceOf(IOException.class).hasMessage("no network device of a guest, and no physical one");
        counters.put("ghost", 1L);
        assertThatThrownBy(() -> after(0)).isInstanceOf(IOException.class).hasMessageContaining("what kind of device ghost is cannot be told");
        host.file("/sys/class/net/ghost/type", "ethernet\n");
        assertThatThrownBy(() -> after(0)).isInstanceOf(IOException.class)
                .hasMessageContaining("expected a number in /sys/class/net/ghost/type, got \"ethernet\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "garbage", "a\nb\nc\n", HEAD + "eth0 1 2 3\n", HEAD + "eth0: 1 2 3\n",
        HEAD + "eth0: x 5 0 0 0 0 0 0 1 7 0 0 0 0 0 0\n", HEAD + ": 1 5 0 0 0 0 0 0 1 7 0 0 0 0 0 0\n",
        HEAD + "eth0: 1 5 0 0 0 0 0 0 -1 7 0 0 0 0 0 0\n", HEAD + "../..: 1 5 0 0 0 0 0 0 1 7 0 0 0 0 0 0\n"})
    void garbageIsNeverARate(String text) throws Exception {
        host.file("/proc/net/dev", text);
        rates.begin(0);
        assertThatThrownBy(() -> traffic.rate(rates)).isInstanceOf(IOException.class).hasMessageContaining("/proc/net/dev");
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 5 0\ncpu0 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal: 4 kB\nMemAvailable: 1 kB\n");
        Readings<HostMetric> readings = new LinuxFigures(host).metrics(rates, List.of());
        assertThat(readings.why(HostMetric.NET_RATE)).contains("/proc/net/dev");
        assertThat(readings.get(HostMetric.MEM_FREE)).as("nobody else suffers").isEqualTo(1024);
    }
}
