// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.Host;

/**
 * Whether a group holds a virtual machine. A machine's process needs its guest's memory and more; below that the kernel kills it,
 * and its guest with it. So a group that holds one gets no limit of memory, nor one of which that cannot be told.
 */
final class GroupMachine {
    /** How names of threads and processes begin, as the kernel shortens them to 15 letters. */
    private static final Pattern NAME = Pattern.compile("qemu|CPU \\d{1,3}/[A-Z]{2}|kvm|.*vcpu|cloud-hyperviso|firecracker"
            + "|crosvm|virtualbox|vbox|vmware", Pattern.CASE_INSENSITIVE);
    /** What the process of a machine has mapped, whatever its name is: its virtual CPUs, or a program that runs machines. */
    private static final Pattern MAPPED = Pattern.compile("(?m)^.*?(anon_inode:\\[?kvm[^\n]*|/dev/kvm[^\n]*|/(?:qemu-system-[^/\n]*|qemu-kvm"
            + "|cloud-hypervisor[^/\n]*|firecracker[^/\n]*|crosvm|VBoxHeadless|VirtualBoxVM|vmware-vmx[^/\n]*))$");
    private static final Pattern STATUS = Pattern.compile("(?ms)^Name:\t([^\n]*)\n.*?^Tgid:\t(\\d{1,9})$");
    private static final int TRIES = 3;

    private GroupMachine() {
    }

    /** Why a group may have no limit of memory; empty if it may. */
    static Optional<String> of(Host host, GroupFiles files) throws InterruptedException {
        try {
            for (int tries = 1; true; tries++) {
                List<Integer> unread = new ArrayList<>();
                Optional<String> sign = sign(host, threads(host, files), unread);
                if (sign.isPresent()) {
                    return Optional.of("control group " + files.name() + " holds a virtual machine (" + sign.get()
                            + "), which a limit may kill");
                }
                unread.retainAll(threads(host, files));     // what has ended says nothing
                if (unread.isEmpty()) {
                    return Optional.empty();
                }
                if (tries == TRIES) {
                    throw new IOException("thread " + unread.get(0) + " cannot be looked at");
                }
            }
        } catch (IOException e) {
            return Optional.of("whether control group " + files.name() + " holds a virtual machine cannot be told: " + e.getMessage());
        }
    }

    /** The threads to which the limit applies. */
    private static List<Integer> threads(Host host, GroupFiles files) throws IOException, InterruptedException {
        GroupFile list = files.has(GroupFile.LIMIT) ? GroupFile.TASKS_OF_MEMORY : GroupFile.THREADS;
        return GroupThreads.of(host, files.directory(list).orElseThrow(() -> new IOException("it has no " + list.file())), list.file());
    }

    private static Optional<String> sign(Host host, List<Integer> threads, List<Integer> unread) throws InterruptedException {
        Set<Integer> processes = new HashSet<>();
        for (int thread : threads) {
            try {
                Matcher status = STATUS.matcher(host.read("/proc/" + thread + "/status"));
                if (!status.find()) {
                    throw new IOException("no name");
                }
                if (NAME.matcher(status.group(1)).lookingAt()) {
                    return Optional.of("thread " + thread + " is \"" + status.group(1) + "\"");
                }
                if (processes.add(Integer.valueOf(status.group(2)))) {
                    Matcher mapped = MAPPED.matcher(host.read("/proc/" + thread + "/maps"));
                    if (mapped.find()) {
                        return Optional.of("process " + status.group(2) + " has mapped " + mapped.group(1));
                    }
                }
            } catch (IOException e) {
                unread.add(thread);
            }
        }
        return Optional.empty();
    }
}
