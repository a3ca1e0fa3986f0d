// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.backend.PlayedHost;
import org.ic2.runtime.host.CommandResult;

/** A libvirt whose domains are processes of a played host. It prints what the real one printed, with its own numbers in it. */
final class FakeVirsh {
    static final String UUID = "a85011fe-5ee6-4a97-b0f6-74c93d05071b";
    private static final Pattern NUMBERS = Pattern.compile("(?m)^(\\w+ *): (-?\\d+)$");

    /** One that runs, with what schedinfo says of it. */
    static final class Domain {
        final int id;
        final String name;
        final String uuid;
        final int process;
        final Map<String, Long> schedule = new TreeMap<>(Map.of("cpu_shares", 1024L, "vcpu_quota", -1L, "global_quota", -1L,
                "vcpu_period", 100_000L, "global_period", 100_000L));
        long kib = 196_608;
        long target = 196_608;
        /** How much the balloon moves each time that it is looked at. */
        long step = Long.MAX_VALUE;
        double usable = 136_428;
        double caches = 2216;
        double update = 1_795_828_284;

        Domain(int id, String name, String uuid, int process) {
            this.id = id;
            this.name = name;
            this.uuid = uuid;
            this.process = process;
        }
    }

    final Map<Integer, Domain> domains = new LinkedHashMap<>();
    final List<String> saved = new ArrayList<>();
    /** Commands that are refused, by how they begin, and what virsh says then. */
    final Map<String, String> refusals = new LinkedHashMap<>();
    /** How many of the next commands do not end in time, by what is in them. */
    final Map<String, Integer> hangs = new LinkedHashMap<>();
    private final PlayedHost host;
    private final boolean shares;

    /** @param shares true for control groups of version 1 */
    FakeVirsh(PlayedHost host, boolean shares) {
        this.host = host;
        this.shares = shares;
        host.does("virsh", words -> run(words.subList(3, words.size())));
        host.does("taskset", words -> {
            throw new AssertionError("libvirt is to know of " + words);
        });
    }

    Domain start(int id, String name, int process) {
        return start(id, name, UUID.replace("a85011fe", String.format("%08x", name.hashCode())), process);
    }

    Domain start(int id, String name, String uuid, int process) {
        Domain domain = new Domain(id, name, uuid, process);
        domains.put(id, domain);
        String group = "machine/qemu-" + id + "-" + name.replaceAll("[^ -~]", "") + ".libvirt-qemu";
        host.file("/run/libvirt/qemu/" + name + ".pid", process + "\n");
        host.file("/proc/" + process + "/stat", process + " (qemu-system-x86) S 1 1 1 0 -1 4194560 1 0 0 0 3 1 0 0 20 0 4 0 " + (1000 + process)
                + " 1000 1 2\n");
        host.file("/proc/" + process + "/cgroup", shares ? "4:memory:/" + group + "\n1:cpu:/" + group + "/emulator\n"
                : "0::/" + group + "/libvirt/emulator\n");
        String files = "/sys/fs/cgroup/" + (shares ? "cpu/" + group : group + "/libvirt");
        host.file(files + (shares ? "/cpu.shares" : "/cpu.weight"), "100\n");
        host.file(files + (shares ? "/cpu.cfs_quota_us" : "/cpu.max"), "max 100000\n");
        host.file(files + "/cpu.stat", shares ? "throttled_time 0\n" : "usage_usec 0\nthrottled_usec 0\n");
        thread(domain, process, "qemu-system-x86", "0-1");
        thread(domain, process + 1, "CPU 0/KVM", "0-1");
        thread(domain, process + 2, "CPU 1/KVM", "0-1");
        thread(domain, process + 3, "IO iothread1", "0-1");
        thread(domain, process + 4, "IO mon_iothread", "0-1");
        return domain;
    }

    private void thread(Domain domain, int thread, String name, String cpus) {
        host.file("/proc/" + domain.process + "/task/" + thread + "/comm", name + "\n");
        host.file("/proc/" + thread + "/status", "Name:\t" + name + "\nCpus_allowed_list:\t" + cpus + "\n");
    }

    /** It ends as by kill -9: its process is gone at once, libvirt notices later. */
    void kill(Domain domain) {
        delete("/proc/" + domain.process + "/stat");
        delete("/run/libvirt/qemu/" + domain.name + ".pid");
        domain.schedule.replaceAll((name, value) -> 0L);
    }

    private void delete(String path) {
        try {
            java.nio.file.Files.deleteIfExists(host.at(path));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    void end(Domain domain) {
        kill(domain);
        domains.remove(domain.id);
    }

    private CommandResult run(List<String> words) throws IOException {
        String line = String.join(" ", words);
        for (Map.Entry<String, Integer> hang : hangs.entrySet()) {
            if (line.contains(hang.getKey()) && hang.getValue() > 0) {
                hang.setValue(hang.getValue() - 1);
                throw new IOException("virsh did not end within 3000 ms and was killed");
            }
        }
        for (Map.Entry<String, String> refusal : refusals.entrySet()) {
            if (line.startsWith(refusal.getKey())) {
                return new CommandResult(1, "", "error: " + refusal.getValue() + "\n\n", false);
            }
        }
        if (!line.startsWith("echo ")) {
            return one(words);
        }
        StringBuilder output = new StringBuilder();
        StringBuilder errors = new StringBuilder();
        for (String command : line.split("; ")) {
            CommandResult result = command.startsWith("echo ") ? new CommandResult(0, command.substring(5) + "\n") : one(List.of(command.split(" ")));
            output.append(result.output()).append('\n');
            errors.append(result.errors());
        }
        return new CommandResult(0, output.toString(), errors.toString(), false);
    }

    private CommandResult one(List<String> words) {
        if (words.get(0).equals("list")) {
            return new CommandResult(0, words.size() > 1 ? String.join("\n", saved) + "\n\n" : list());
        }
        String last = words.get(0).equals("schedinfo") || words.get(0).endsWith("pin") || words.get(0).equals("setmem") ? words.get(1)
                : words.get(words.size() - 1);
        Domain domain = domains.get(Integer.valueOf(last));
        if (domain == null) {
            return new CommandResult(1, "", VirshSamples.of("no-domain").replace("77", last), false);
        }
        return switch (words.get(0)) {
            case "dominfo" -> new CommandResult(0, info(domain));
            case "domstats" -> new CommandResult(0, balloon(domain));
            case "schedinfo" -> schedule(domain, words);
            case "setmem" -> setmem(domain, Long.parseLong(words.get(2)));
            case "vcpupin" -> pin(domain.process + 1 + Integer.parseInt(words.get(2)), words.get(3));
            case "emulatorpin" -> pin(domain.process, words.get(2));
            case "iothreadpin" -> pin(domain.process + 2 + Integer.parseInt(words.get(2)), words.get(3));
            default -> throw new AssertionError("nobody said what virsh " + words + " prints");
        };
    }

    private String list() {
        StringBuilder text = new StringBuilder(" Id   Name   State\n----------------------\n");
        domains.values().forEach(domain -> text.append(String.format(" %-4d %-6s running%n", domain.id, printed(domain.name))));
        return text.append('\n').toString();
    }

    /** As the table of virsh 9 has it in the locale that we set: {@code list-other-names.txt}. */
    private static String printed(String name) {
        StringBuilder text = new StringBuilder();
        for (byte one : name.replace("\\x", "\\x5cx").getBytes(StandardCharsets.UTF_8)) {
            text.append(one < 0 ? "\\xff" : one < ' ' ? String.format("\\x%02x", one) : String.valueOf((char) one));
        }
        return text.toString();
    }

    private String info(Domain domain) {
        String all = VirshSamples.of("dominfo-of-three");
        return all.substring(all.indexOf("Id: "), all.indexOf("@6")).replaceFirst("(?m)^UUID: .*$", "UUID:           " + domain.uuid)
                .replaceFirst("(?m)^Name: .*$", "Name:           " + Matcher.quoteReplacement(domain.name));
    }

    private String balloon(Domain domain) {
        long way = domain.target - domain.kib;
        domain.kib += Math.abs(way) <= domain.step ? way : Long.signum(way) * domain.step;
        return VirshSamples.of("domstats-balloon").replaceFirst("current=\\d+", "current=" + domain.kib)
                .replaceFirst("usable=\\d+", "usable=" + (long) domain.usable).replaceFirst("last-update=\\d+", "last-update=" + (long) domain.update)
                .replaceFirst("disk_caches=\\d+", "disk_caches=" + (long) domain.caches);
    }

    private CommandResult schedule(Domain domain, List<String> words) {
        for (int i = 2; i < words.size(); i++) {
            if (words.get(i).equals("--set")) {
                String[] set = words.get(i + 1).split("=");
                long value = Long.parseLong(set[1]);
                if (set[0].endsWith("quota") && value >= 0 && value < 1000) {
                    return new CommandResult(1, "Scheduler      : posix\n", "error: invalid argument: value of '" + set[0]
                            + "' is out of range [1000, 17592186044415]\n\n", false);
                }
                if (domain.schedule.containsKey(set[0])) {
                    domain.schedule.put(set[0], value);
                }
            }
        }
        Matcher line = NUMBERS.matcher(VirshSamples.of("schedinfo"));
        return new CommandResult(0, line.replaceAll(one -> one.group(1) + ": "
                + domain.schedule.getOrDefault(one.group(1).strip(), domain.schedule.get("cpu_shares") == 0 ? 0L : Long.valueOf(one.group(2)))));
    }

    private CommandResult setmem(Domain domain, long kib) {
        if (kib > 196_608) {
            return new CommandResult(1, "", VirshSamples.of("setmem-refused"), false);
        }
        domain.target = kib;
        return new CommandResult(0, "\n");
    }

    private CommandResult pin(int thread, String cpus) {
        if (cpus.equals("99")) {
            return new CommandResult(1, "", VirshSamples.of("vcpupin-refused"), false);
        }
        try {
            String status = host.read("/proc/" + thread + "/status");
            host.file("/proc/" + thread + "/status", status.replaceFirst("list:\t.*", "list:\t" + cpus));
            return new CommandResult(0, "\n");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
