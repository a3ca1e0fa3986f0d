// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.ic2.host.backend.PlayedHost;
import org.ic2.runtime.host.CommandResult;

/**
 * What systemd does with properties of units below tenants.slice, as {@code systemd/set-property.txt} has it: it keeps what it is told at
 * run time in a file for each property, a quota in whole per cents, and writes all that it knows of a unit when it is told something,
 * when it reloads and when the unit starts.
 */
final class FakeSystemctl {
    static final String CONTROL = "/run/systemd/system.control/";
    private static final String HEAD = "# This is a drop-in unit file extension, created via \"systemctl set-property\"\n# or an equivalent operation. Do not edit.\n"
            + "[Service]\n";
    private final PlayedHost host;
    private final FakeGroups2 groups;
    private final Map<String, Map<String, String>> files = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> memory = new LinkedHashMap<>();
    /** What set-property says instead, if anything. */
    String failure = "";

    FakeSystemctl(PlayedHost host, FakeGroups2 groups) {
        this.host = host;
        this.groups = groups;
        host.file("/run/systemd/system/tenants.slice", "");
        host.does("systemctl", words -> words.get(1).equals("show") ? show(words.get(5)) : setProperty(words.get(4), words.subList(5, words.size())));
        host.does("rm", words -> {
            for (String path : words.subList(3, words.size())) {
                Files.deleteIfExists(host.at(path));
            }
            return new CommandResult(0, "");
        });
    }

    /** A service, with lines of its own file, that runs. */
    void unit(String name, String... properties) throws Exception {
        Map<String, String> own = new LinkedHashMap<>();
        for (String property : properties) {
            assign(own, property);
        }
        files.put(name, own);
        start(name);
    }

    void start(String name) throws Exception {
        groups.group(name);
        memory.put(name, known(name));
        write(name);
    }

    void stop(String name) throws Exception {
        groups.end(name);
    }

    void reload() throws Exception {
        for (String name : files.keySet()) {
            memory.put(name, known(name));
            write(name);
        }
    }

    private static void assign(Map<String, String> to, String property) {
        String key = property.substring(0, property.indexOf('='));
        String value = property.substring(property.indexOf('=') + 1);
        to.put(key, key.startsWith("IORead") || key.startsWith("IOWrite") ? value.isEmpty() ? "" : (to.getOrDefault(key, "") + "\n" + value).strip() : value);
    }

    private CommandResult show(String name) {
        boolean runs = files.containsKey(name) && Files.isDirectory(host.at(FakeGroups2.SLICE + "/" + name));
        return new CommandResult(0, (runs ? "/tenants.slice/" + name : "") + "\n");
    }

    private CommandResult setProperty(String name, List<String> properties) throws IOException, InterruptedException {
        if (!failure.isEmpty()) {
            return new CommandResult(1, "", failure + "\n", false);
        }
        if (!files.containsKey(name)) {
            return new CommandResult(1, "", "Failed to set unit properties on " + name + ": Unit " + name + " not found.\n", false);
        }
        for (String property : properties) {
            String key = property.substring(0, property.indexOf('='));
            String value = property.substring(property.indexOf('=') + 1);
            if (key.equals("CPUQuota") && !value.isEmpty() && !value.endsWith("%")) {
                return new CommandResult(1, "", "CPU quota '" + value + "' invalid.\n", false);
            }
            assign(memory.get(name), property);
            host.file(CONTROL + name + ".d/50-" + key + ".conf", HEAD + dropIn(key, memory.get(name).get(key)));
        }
        write(name, properties);
        return new CommandResult(0, "");
    }

    private static String dropIn(String key, String value) {
        if (key.equals("CPUQuota")) {
            return key + "=" + value.replaceFirst("\\.\\d+", "") + "\n";
        }
        StringBuilder text = new StringBuilder(key.equals("AllowedCPUs") || key.startsWith("IORead") || key.startsWith("IOWrite") ? key + "=\n" : "");
        value.lines().forEach(line -> text.append(key).append('=').append(line).append('\n'));
        return text.toString();
    }

    /** The unit's file, and what lies beside it. */
    private Map<String, String> known(String name) throws IOException, InterruptedException {
        Map<String, String> known = new TreeMap<>(files.get(name));
        for (String file : dropIns(name)) {
            host.read(CONTROL + name + ".d/" + file).lines().filter(line -> line.contains("=") && !line.startsWith("#")).forEach(line -> assign(known, line));
        }
        return known;
    }

    List<String> dropIns(String name) throws InterruptedException {
        try {
            return host.list(CONTROL + name + ".d");
        } catch (IOException e) {
            return List.of();
        }
    }

    private void write(String name) throws IOException, InterruptedException {
        write(name, List.of("CPU", "Memory", "IO"));
    }

    /** All of a controller of which anything was told. */
    private void write(String name, List<String> told) throws IOException, InterruptedException {
        String group = FakeGroups2.SLICE + "/" + name;
        if (!Files.isDirectory(host.at(group))) {
            return;
        }
        Map<String, String> of = memory.get(name);
        if (told.stream().anyMatch(property -> property.startsWith("CPU"))) {
            host.write(group + "/cpu.weight", otherwise(of.get("CPUWeight"), "100"));
            String quota = otherwise(of.get("CPUQuota"), "");
            host.write(group + "/cpu.max", quota.isEmpty() ? "max 100000" : Math.round(Double.parseDouble(quota.replace("%", "")) * 1000) + " 100000");
        }
        if (told.stream().anyMatch(property -> property.startsWith("Memory"))) {
            host.write(group + "/memory.high", otherwise(of.get("MemoryHigh"), "max").replace("infinity", "max"));
            host.write(group + "/memory.low", otherwise(of.get("MemoryLow"), "0").replace("infinity", "max"));
        }
        if (told.stream().anyMatch(property -> property.startsWith("IO"))) {
            host.write(group + "/io.weight", "default " + otherwise(of.get("IOWeight"), "100"));
            writeLimits(group, of);
        }
    }

    private void writeLimits(String group, Map<String, String> of) throws IOException, InterruptedException {
        Map<String, String> words = Map.of("rbps", "IOReadBandwidthMax", "wbps", "IOWriteBandwidthMax", "riops", "IOReadIOPSMax", "wiops", "IOWriteIOPSMax");
        TreeSet<String> devices = new TreeSet<>();
        host.read(group + "/io.max").lines().forEach(line -> devices.add(line.split(" ")[0]));
        words.values().forEach(property -> otherwise(of.get(property), "").lines().forEach(line -> devices.add(device(line))));
        for (String device : devices) {
            StringBuilder line = new StringBuilder(device);
            words.forEach((word, property) -> line.append(' ').append(word).append('=').append(otherwise(of.get(property), "").lines()
                    .filter(one -> device(one).equals(device)).reduce((first, last) -> last).map(one -> one.split(" ")[1]).orElse("max")));
            host.write(group + "/io.max", line.toString());
        }
    }

    private static String device(String line) {
        return line.split(" ")[0].replace("/dev/block/", "");
    }

    private static String otherwise(String value, String usual) {
        return value == null || value.isEmpty() ? usual : value;
    }

    /** As a person types it. */
    void byHand(String name, String... properties) {
        try {
            if (!setProperty(name, List.of(properties)).succeeded()) {
                throw new IllegalStateException(String.join(" ", properties));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
