// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.Topology;
import org.ic2.runtime.host.Host;

/** SMT siblings and NUMA nodes, as Linux tells them below {@code /sys/devices/system}. */
final class CpuTopology {
    private static final String CPUS = "/sys/devices/system/cpu/cpu";
    private static final String SIBLINGS = "/topology/thread_siblings_list";
    private static final String NODES = "/sys/devices/system/node";

    private CpuTopology() {
    }

    /** Of these CPUs; what is not told is flat. */
    static Topology of(Host host, List<Integer> cpus) throws IOException, InterruptedException {
        Map<Integer, Integer> cores = new HashMap<>();
        Map<Integer, Integer> nodes = new HashMap<>();
        for (int cpu : cpus) {
            List<Integer> siblings = list(host, CPUS + cpu + SIBLINGS);
            if (!siblings.isEmpty()) {
                cores.put(cpu, siblings.get(0));
            }
        }
        for (String entry : directories(host)) {
            if (entry.matches("node\\d{1,5}/")) {
                String node = entry.substring(0, entry.length() - 1);
                list(host, NODES + "/" + node + "/cpulist").forEach(cpu -> nodes.put(cpu, Integer.valueOf(node.substring("node".length()))));
            }
        }
        nodes.keySet().retainAll(cpus);
        return new Topology(cores, nodes);
    }

    private static List<String> directories(Host host) throws InterruptedException {
        try {
            return host.list(NODES);
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<Integer> list(Host host, String path) throws IOException, InterruptedException {
        String text;
        try {
            text = host.read(path).strip();
        } catch (IOException e) {
            return List.of();   // a virtual machine may tell nothing
        }
        try {
            return CpuSets.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }
}
