// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Pool;
import org.ic2.host.model.PoolJson;
import org.ic2.host.model.Topology;
import org.ic2.runtime.json.Json;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Siblings and nodes from the kernel's files, and in recordings. */
class CpuTopologyTest {
    private static final String CPU = "/sys/devices/system/cpu/cpu";

    @TempDir
    private Path directory;
    private PlayedHost host;

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0\ncpu1 1 0\ncpu2 1 0\ncpu3 1 0\n");
    }

    private void siblings(String... lists) {
        for (int cpu = 0; cpu < lists.length; cpu++) {
            host.file(CPU + cpu + "/topology/thread_siblings_list", lists[cpu] + "\n");
        }
    }

    @Test
    void theFilesTellCoresAndNodes() throws Exception {
        siblings("0,2", "1,3", "0,2", "1,3");
        host.file("/sys/devices/system/node/node0/cpulist", "0,2\n");
        host.file("/sys/devices/system/node/node1/cpulist", "1,3,8-9\n");
        host.file("/sys/devices/system/node/possible", "0-1\n");
        Pool pool = new LinuxFigures(host).pool();
        assertThat(pool.topology()).isEqualTo(new Topology(Map.of(2, 0, 3, 1), Map.of(1, 1, 3, 1)));
        assertThat(pool.topology().core(3)).isOne();
        assertThat(pool.topology().core(1)).isOne();
        assertThat(pool.topology().node(2)).isZero();
        com.fasterxml.jackson.databind.node.ObjectNode recorded = Json.object();
        PoolJson.write(List.of(pool), recorded.putArray("pools"));
        assertThat(PoolJson.read(Json.readStrictly(recorded.toString()).path("pools"))).containsExactly(pool);
    }

    @Test
    void whatIsNotToldIsFlat() throws Exception {
        assertThat(new LinuxFigures(host).pool()).isEqualTo(new Pool("linux", "cfs", List.of(0, 1, 2, 3)));
        siblings("0", "1", "2", "3");
        host.file("/sys/devices/system/node/node0/cpulist", "0-3\n");
        host.file("/sys/devices/system/node/node1/cpulist", "\n");
        assertThat(new LinuxFigures(host).pool().topology()).isEqualTo(Topology.FLAT);
    }

    @Test
    void whatIsNotUnderstoodIsAnErrorThatQuotesIt() throws Exception {
        siblings("0,two");
        assertThatThrownBy(() -> new LinuxFigures(host).pool()).isInstanceOf(IOException.class)
                .hasMessage(CPU + "0/topology/thread_siblings_list: expected CPUs such as 0-3,8, got \"0,two\"");
        for (String wrong : new String[] {"{\"x\":0}", "{\"1\":-1}", "{\"1\":\"0\"}", "{\"1\":1.5}"}) {
            assertThatThrownBy(() -> PoolJson.read(Json.readStrictly("[{\"name\":\"p\",\"scheduler\":\"cfs\",\"cpus\":[0],\"cores\":" + wrong + "}]")))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("expected cores of CPUs");
        }
    }
}
