// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.Decimals;

/** The threads of a group and of those below it, and which of them are virtual CPUs. */
final class GroupThreads {
    /** A nested group is a directory; deeper ones than this are nobody's virtual machine. */
    static final int DEEPEST = 8;
    /** As QEMU names them with debug-threads=on, which libvirt says. A single thread for all CPUs is not one of them. */
    private static final Pattern VCPU = Pattern.compile("CPU (\\d{1,3})/[A-Z]{2,5}");

    private GroupThreads() {
    }

    static List<Integer> of(Host host, GroupFiles files) throws IOException, InterruptedException {
        GroupFile list = files.has(GroupFile.TASKS) ? GroupFile.TASKS : GroupFile.THREADS;
        return of(host, files.directory(list).orElseThrow(() -> new IOException("control group " + files.name()
                + " has neither tasks nor cgroup.threads")), list.file());
    }

    /** What files of this name list, in a directory and below it. */
    static List<Integer> of(Host host, String directory, String file) throws IOException, InterruptedException {
        List<Integer> all = new ArrayList<>();
        collect(host, directory, file, all, DEEPEST);
        return all;
    }

    private static void collect(Host host, String directory, String file, List<Integer> threads, int depth)
            throws IOException, InterruptedException {
        for (String line : host.read(directory + "/" + file).split("\n")) {
            if (Decimals.are(line, 9)) {
                threads.add(Integer.valueOf(line));
            } else if (!line.isEmpty()) {
                throw new IOException("expected numbers of threads in " + directory + "/" + file + ", got \"" + line + "\"");
            }
        }
        for (String entry : depth == 0 ? List.<String>of() : host.list(directory)) {
            if (entry.endsWith("/")) {
                collect(host, directory + "/" + entry.substring(0, entry.length() - 1), file, threads, depth - 1);
            }
        }
    }

    /** The threads that are virtual CPUs, by their numbers; none in a group that holds no such machine. */
    static Map<Integer, Integer> vcpus(Host host, GroupFiles files) throws IOException, InterruptedException {
        Map<Integer, Integer> vcpus = new TreeMap<>();
        for (int thread : of(host, files)) {
            String name;
            try {
                name = host.read("/proc/" + thread + "/comm").strip();
            } catch (IOException e) {
                continue;   // it has ended
            }
            number(name).ifPresent(number -> vcpus.put(number, thread));
        }
        return vcpus;
    }

    /** The number in a thread's name, if that is a virtual CPU's. */
    static Optional<Integer> number(String name) {
        Matcher vcpu = VCPU.matcher(name);
        return vcpu.matches() ? Optional.of(Integer.valueOf(vcpu.group(1))) : Optional.empty();
    }
}
