// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.ThreadAffinity;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * Where the threads of groups may run. A machine's virtual CPUs are threads whose names say so, each pinned by itself; a group
 * without such threads has its {@code cpuset.cpus}.
 */
final class GroupPins {
    private final Host host;
    private final GroupTree tree;
    private final ThreadAffinity affinity;

    GroupPins(Host host, GroupTree tree) {
        this.host = host;
        this.tree = tree;
        affinity = new ThreadAffinity(host);
    }

    /** What an affinity takes. */
    static Range numbers(List<Integer> online) {
        return new Range(0, Collections.max(online), 1);
    }

    /** What a set takes. */
    static Range masks(List<Integer> online) throws IOException {
        int last = Collections.max(online);
        if (last >= CpuSets.MOST) {
            throw new IOException("this host has a CPU " + last + ", and a set is a mask of CPUs 0 to " + (CpuSets.MOST - 1));
        }
        return new Range(1, (int) ((1L << last + 1) - 1), 1);
    }

    /** A machine has an affinity for each virtual CPU and no set; any other group has a set and no affinity. */
    boolean has(GuestKnob knob) {
        return switch (knob.kind()) {
            case AFFINITY -> tree.vcpus(knob.target()).containsKey(((Target.OfVcpu) knob.target()).number());
            case CPUSET -> tree.vcpus(knob.target()).isEmpty();
            default -> true;
        };
    }

    int get(GuestKnob knob, List<Integer> online) throws IOException, InterruptedException {
        return CpuSets.affinity(allowed(knob), online);
    }

    String exact(GuestKnob knob) throws IOException, InterruptedException {
        return CpuSets.format(allowed(knob));
    }

    private List<Integer> allowed(GuestKnob knob) throws IOException, InterruptedException {
        Target.OfVcpu vcpu = (Target.OfVcpu) knob.target();
        Integer thread = tree.vcpus(vcpu).get(vcpu.number());
        if (thread != null) {
            try {
                ThreadAffinity.Allowed known = affinity.of(thread);
                if (GroupThreads.number(known.name()).equals(Optional.of(vcpu.number()))) {
                    return known.cpus();
                }
            } catch (IOException e) {
                // it has ended; another may be that virtual CPU now
            }
        }
        return affinity.of(thread(vcpu)).cpus();
    }

    /** The thread that is a virtual CPU, looked for now. */
    private int thread(Target.OfVcpu vcpu) throws IOException, InterruptedException {
        Map<Integer, Integer> threads = GroupThreads.vcpus(host, tree.files(vcpu.guest(), true));
        Integer thread = threads.get(vcpu.number());
        if (thread == null) {
            throw new IOException("no thread of control group " + vcpu.guest().id() + " is named as virtual CPU " + vcpu.number());
        }
        return thread;
    }

    void set(GuestKnob knob, String cpus) throws IOException, InterruptedException {
        Target.OfVcpu vcpu = (Target.OfVcpu) knob.target();
        int thread;
        try {
            thread = thread(vcpu);
        } catch (IOException e) {
            throw new NotDoneException("cannot set " + knob.label() + " to " + cpus + ": " + e.getMessage(), e);
        }
        affinity.pin(thread, cpus);
    }

    /** Why a value should not be asked for: a CPU that is not there, a set that nothing of the guest would obey. */
    Optional<String> objection(GuestKnob knob, int value, List<Integer> online) throws IOException, InterruptedException {
        GroupFiles files = tree.files(knob.target().whose().orElseThrow(), false);
        boolean ofVcpu = knob.kind() == KnobKind.AFFINITY;
        List<Integer> wanted = ofVcpu ? List.of(value) : CpuSets.cpus(value);
        List<Integer> may = ofVcpu ? effective(files).orElse(online) : ofParent(files);
        List<Integer> impossible = new ArrayList<>(wanted);
        impossible.removeIf(cpu -> online.contains(cpu) && may.contains(cpu));
        if (!impossible.isEmpty()) {
            return Optional.of(knob.label() + ": CPU " + CpuSets.format(impossible) + " is not among those that it may use ("
                    + CpuSets.format(may.stream().filter(online::contains).toList()) + ")");
        }
        return ofVcpu ? Optional.empty() : unheeded(knob, files);
    }

    private static Optional<List<Integer>> effective(GroupFiles files) throws IOException, InterruptedException {
        for (GroupFile file : new GroupFile[] {GroupFile.CPUS_1, GroupFile.CPUS_2}) {
            if (files.has(file)) {
                return Optional.of(parse(files.path(file).orElseThrow(), files.read(file)));
            }
        }
        return Optional.empty();
    }

    private List<Integer> ofParent(GroupFiles files) throws IOException, InterruptedException {
        GroupFile file = files.has(GroupFile.CPUS_1) ? GroupFile.CPUS_1 : GroupFile.CPUS_2;
        String directory = files.directory(file).orElseThrow(() -> new IOException("control group " + files.name() + " has no cpuset"));
        String path = directory.substring(0, directory.lastIndexOf('/')) + "/" + file.file();
        return parse(path, host.read(path).strip());
    }

    private static List<Integer> parse(String path, String text) throws IOException {
        try {
            return CpuSets.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    /** Version 1 has a hierarchy of its own for the sets, where a guest's threads need not be. */
    private Optional<String> unheeded(GuestKnob knob, GroupFiles files) throws IOException, InterruptedException {
        if (!files.has(GroupFile.CPUSET_1)) {
            return Optional.empty();
        }
        if (files.read(GroupFile.MEMS_1).isEmpty()) {
            return Optional.of(knob.label() + ": cpuset.mems of its group is empty, so that nothing can run there");
        }
        String threads = host.head(files.directory(GroupFile.CPUSET_1).orElseThrow() + "/tasks", 16).strip();
        return threads.isEmpty() && !GroupThreads.of(host, files).isEmpty()
                ? Optional.of(knob.label() + ": its threads are not in its group of the cpuset hierarchy, so that no set binds them")
                : Optional.empty();
    }
}
