// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.ic2.host.backend.PlayedHost;

/** Control groups of version 2 below tenants.slice on a host of two disks and two CPUs, by the kernel's rules of their files. */
final class FakeGroups2 {
    static final String SLICE = "/sys/fs/cgroup/tenants.slice";
    private static final String UNLIMITED = "rbps=max wbps=max riops=max wiops=max";
    private final PlayedHost host;

    FakeGroups2(PlayedHost host) {
        this.host = host;
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemAvailable:    1048576 kB\nSwapFree: 0 kB\n");
        host.file("/proc/net/dev", "Inter-|\n face |bytes\n");
        host.file("/proc/vmstat", "oom_kill 0\n");
        host.file(SLICE + "/cgroup.controllers", "cpuset cpu io memory pids\n");
        host.file(SLICE + "/memory.low", "0\n");
        disk("vda", "254:0");
        disk("vdb", "254:16");
        host.file("/sys/block/loop0/dev", "7:0\n");
        host.file("/sys/dev/block/253:0/dev", "253:0\n");
        host.kernel((path, text) -> path.startsWith("/sys/fs/cgroup/") ? taken(path, text) : text);
    }

    private void disk(String name, String number) {
        host.file("/sys/block/" + name + "/dev", number + "\n");
        host.file("/sys/block/" + name + "/device/uevent", "");
        host.file("/sys/dev/block/" + number + "/dev", number + "\n");
    }

    void group(String name) {
        String group = SLICE + "/" + name;
        host.file(group + "/cpu.weight", "100\n");
        host.file(group + "/cpu.max", "max 100000\n");
        host.file(group + "/cpu.stat", "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
        host.file(group + "/memory.high", "max\n");
        host.file(group + "/memory.low", "0\n");
        host.file(group + "/memory.max", "max\n");
        host.file(group + "/memory.current", "300\n");
        host.file(group + "/memory.stat", "anon 1\nshmem 0\ninactive_file 100\nactive_file 0\npgmajfault 0\n");
        host.file(group + "/memory.events", "oom_kill 0\n");
        host.file(group + "/io.weight", "default 100\n254:16 300\n");
        host.file(group + "/io.max", "");
        host.file(group + "/cgroup.threads", "");
    }

    void end(String name) throws IOException {
        try (Stream<Path> all = Files.walk(host.at(SLICE + "/" + name))) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    String content(String file) throws IOException {
        return host.read(SLICE + "/" + file).strip();
    }

    private String taken(String path, String text) throws IOException {
        String before = host.read(path).strip();
        switch (path.substring(path.lastIndexOf('/') + 1)) {
            case "cpu.max":
                return text.contains(" ") ? text : text + before.replaceFirst("\\S+", "");
            case "io.weight":
                if (!text.matches("(default )?([1-9]\\d{0,3}|10000)")) {
                    throw new IOException("Invalid argument");
                }
                return "default " + text.replace("default ", "") + before.replaceFirst("default \\d+", "");
            case "io.max":
                return limits(before, text);
            case "memory.low":
            case "memory.high":
                if (!text.matches("max|\\d+")) {
                    throw new IOException("Invalid argument");
                }
                return text.equals("max") ? text : Long.toString(Long.parseLong(text) / 4096 * 4096);
            default:
                return text.strip();
        }
    }

    private static String limits(String before, String text) throws IOException {
        Map<String, String> devices = new TreeMap<>();
        before.lines().filter(line -> !line.isEmpty()).forEach(line -> devices.put(line.split(" ", 2)[0], line.split(" ", 2)[1]));
        String[] words = text.strip().split(" ");
        if (text.contains("\n") || !List.of("254:0", "254:16", "253:0").contains(words[0])) {
            throw new IOException("No such device");
        }
        String limits = devices.getOrDefault(words[0], UNLIMITED);
        for (int i = 1; i < words.length; i++) {
            if (!words[i].matches("(rbps|wbps|riops|wiops)=(max|[1-9]\\d*)")) {
                throw new IOException("Invalid argument");
            }
            limits = limits.replaceFirst(words[i].substring(0, words[i].indexOf('=')) + "=\\S+", words[i]);
        }
        devices.put(words[0], limits);
        devices.values().removeIf(UNLIMITED::equals);
        StringBuilder all = new StringBuilder();
        devices.forEach((device, limit) -> all.append(all.isEmpty() ? "" : "\n").append(device).append(' ').append(limit));
        return all.toString();
    }
}
