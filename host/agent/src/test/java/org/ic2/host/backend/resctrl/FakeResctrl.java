// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.resctrl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.ic2.host.backend.PlayedHost;
import org.ic2.runtime.host.CommandResult;

/**
 * The rules by which Linux's resctrl takes what is written, with two caches of 11 ways each (fs/resctrl, arch/x86/kernel/cpu/resctrl):
 * a line feed at the end, known resources, contiguous masks of enough bits within the cache, bandwidth in range and rounded up, as many
 * groups as there are CLOSIDs, a thread in one group; and what it says in {@code info/last_cmd_status}. Monitoring groups take threads
 * of their own control group alone, go with it, and lose a thread that is moved, into the same group too.
 */
final class FakeResctrl {
    private static final String ROOT = "/sys/fs/resctrl";
    private static final long ALL = 0x7ff;
    private static final int MIN_BITS = 2;
    int closids = 16;
    private final PlayedHost host;
    private final Map<String, Map<String, String>> groups = new TreeMap<>();
    private final Map<Integer, String> threads = new LinkedHashMap<>();
    private final Map<Integer, String> monitored = new LinkedHashMap<>();
    private final Set<String> monitors = new TreeSet<>();

    FakeResctrl(PlayedHost host) {
        this.host = host;
        host.file(ROOT + "/info/L3/cbm_mask", "7ff\n");
        host.file(ROOT + "/info/L3/min_cbm_bits", MIN_BITS + "\n");
        host.file(ROOT + "/info/MB/min_bandwidth", "10\n");
        host.file(ROOT + "/info/MB/bandwidth_gran", "10\n");
        status("ok");
        create("");
        host.kernel((path, text) -> path.startsWith(ROOT) ? taken(path.substring(ROOT.length() + 1), text) : text);
        host.file(ROOT + "/mon_groups/.keep", "");
        host.does("mkdir", words -> {
            if (words.get(1).contains("/mon_groups/")) {
                monitor(words.get(1).substring(ROOT.length() + 1));
                return new CommandResult(0, "");
            }
            if (groups.size() >= closids) {
                status("Out of CLOSIDs");
                return new CommandResult(1, "", "mkdir: cannot create directory: No space left on device\n", false);
            }
            make(words.get(1).substring(ROOT.length() + 1));
            return new CommandResult(0, "");
        });
        host.does("rmdir", words -> {
            remove(words.get(1).substring(ROOT.length() + 1));
            return new CommandResult(0, "");
        });
    }

    private void monitor(String path) throws IOException {
        if (!Files.isDirectory(host.at(ROOT + "/" + path).getParent())) {
            throw new IOException("mkdir: no such directory " + path);
        }
        monitors.add(path);
        host.file(ROOT + "/" + path + "/tasks", "");
        counts(path, 0);
    }

    /** What the threads of a monitoring group have moved. */
    void counts(String path, long bytes) {
        host.file(ROOT + "/" + path + "/mon_data/mon_L3_00/mbm_total_bytes", bytes + "\n");
    }

    List<String> monitors() {
        return List.copyOf(monitors);
    }

    String monitorOf(int thread) {
        return monitored.getOrDefault(thread, "");
    }

    List<String> groups() {
        return groups.keySet().stream().filter(group -> !group.isEmpty()).toList();
    }

    String groupOf(int thread) {
        return threads.get(thread);
    }

    void thread(int thread) {
        host.file("/proc/" + thread + "/comm", "worker\n");
        put(thread, "");
    }

    void end(int thread) {
        threads.remove(thread);
        monitored.remove(thread);
        try {
            Files.delete(host.at("/proc/" + thread + "/comm"));
            Files.delete(host.at("/proc/" + thread + "/cpu_resctrl_groups"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        show();
    }

    void make(String group) {
        create(group);
    }

    private void create(String group) {
        groups.put(group, new LinkedHashMap<>(Map.of("L3", "0=7ff;1=7ff", "MB", "0=100;1=100")));
        show();
    }

    private void remove(String group) {
        String last = group.substring(group.lastIndexOf('/') + 1);
        if (!monitors.remove(group)) {
            groups.remove(group);
            monitors.removeIf(monitor -> monitor.startsWith(group + "/"));
            monitored.keySet().removeIf(thread -> threads.get(thread).equals(group));
            threads.replaceAll((thread, in) -> in.equals(group) ? "" : in);
        } else {
            monitored.values().removeIf(last::equals);
        }
        try (Stream<Path> all = Files.walk(host.at(ROOT + "/" + group))) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        show();
    }

    void put(int thread, String group) {
        threads.put(thread, group);
        monitored.remove(thread);
        show();
    }

    private void show() {
        groups.forEach((group, resources) -> {
            String directory = ROOT + (group.isEmpty() ? "" : "/" + group);
            host.file(directory + "/schemata", schemata(resources));
            host.file(directory + "/tasks", tasks(group));
            host.file(directory + "/mon_groups/.keep", "");
        });
        threads.forEach((thread, group) -> host.file("/proc/" + thread + "/cpu_resctrl_groups", "res:" + (group.isEmpty() ? "/" : group)
                + "\nmon:" + monitorOf(thread) + "\n"));
    }

    private static String schemata(Map<String, String> resources) {
        return "    MB:" + resources.get("MB") + "\n    L3:" + resources.get("L3") + "\n";
    }

    private String tasks(String group) {
        StringBuilder text = new StringBuilder();
        threads.forEach((thread, in) -> text.append(in.equals(group) ? thread + "\n" : ""));
        return text.toString();
    }

    private void status(String text) {
        host.file(ROOT + "/info/last_cmd_status", text + "\n");
    }

    private IOException refuse(String why) {
        status(why);
        return new IOException("Invalid argument");
    }

    /** What the file holds then; the tree's writer adds the last line feed. */
    private String taken(String path, String text) throws IOException {
        String group = path.contains("/") && !path.startsWith("mon_groups/") ? path.substring(0, path.indexOf('/')) : "";
        status("ok");
        if (path.endsWith("tasks")) {
            int thread = Integer.parseInt(text.strip());
            if (!threads.containsKey(thread)) {
                status("No task " + thread);
                throw new IOException("No such process");
            }
            if (path.contains("mon_groups/")) {
                if (!threads.get(thread).equals(group)) {
                    throw refuse("Can't move task to different control group");
                }
                monitored.put(thread, path.split("/")[path.split("/").length - 2]);
                show();
                return text;
            }
            put(thread, group);
            return tasks(group).stripTrailing();
        }
        if (!path.endsWith("schemata") || !text.endsWith("\n")) {
            throw refuse("ok");
        }
        Map<String, String> next = new LinkedHashMap<>(groups.get(group));
        for (String line : text.split("\n")) {
            String resource = line.substring(0, line.indexOf(':')).strip();
            if (!next.containsKey(resource)) {
                throw refuse("Unknown or unsupported resource name '" + resource + "'");
            }
            List<String> parts = new ArrayList<>();
            for (String part : line.substring(line.indexOf(':') + 1).split(";")) {
                String[] one = part.split("=");
                parts.add(one[0] + "=" + (resource.equals("MB") ? bandwidth(one[1]) : mask(one[1])));
            }
            next.put(resource, String.join(";", parts));
        }
        groups.put(group, next);
        show();
        return schemata(next).stripTrailing();
    }

    private String bandwidth(String text) throws IOException {
        int value = Integer.parseInt(text.strip());
        if (value < 10 || value > 100) {
            throw refuse("MB value " + value + " out of range [10,100]");
        }
        return Integer.toString((value + 9) / 10 * 10);
    }

    private String mask(String text) throws IOException {
        long value = Long.parseLong(text, 16);
        if (value > ALL || value == 0) {
            throw refuse("Mask out of range");
        }
        long up = value >> Long.numberOfTrailingZeros(value);
        if ((up & up + 1) != 0) {
            throw refuse("The mask " + text + " has non-consecutive 1-bits");
        }
        if (Long.bitCount(value) < MIN_BITS) {
            throw refuse("Need at least " + MIN_BITS + " bits in the mask");
        }
        return Long.toHexString(value);
    }
}
