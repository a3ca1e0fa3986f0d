// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.backend.ThreadAffinity;
import org.ic2.host.backend.libvirt.Machines.Machine;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * A domain's knobs as virsh's words and back. Weight: {@code cpu_shares}, which is {@code cpu.weight} with control groups of version 2.
 * Cap: {@code global_quota}, or {@code vcpu_quota} where that alone limits the domain. Memory: the balloon. CPUs: what its threads
 * may run on in fact, set through libvirt.
 */
final class LibvirtKnobs {
    private static final double SHARES_BY_WEIGHT = 4;
    private static final double WEIGHT_2_BY_WEIGHT = 100.0 / 256;
    private static final long KIB_BY_MIB = 1024;
    private static final String GLOBAL = "global";
    private static final String VCPU = "vcpu";
    private static final Pattern QUOTA = Pattern.compile("(global|vcpu) (-?\\d{1,18}) (\\d{1,9})");
    private static final Pattern CPUS = Pattern.compile("\\d[\\d,-]{0,200}");
    private static final long FRESH_NANOS = 1_000_000_000L;
    private static final long GLANCE_NANOS = 100_000_000L;
    /** So long a balloon may be on its way. */
    private static final long BALLOON_NANOS = 10_000_000_000L;

    private final Virsh virsh;
    private final Machines machines;
    private final LongSupplier nanos;
    private final ThreadAffinity affinity;
    private final Answers<Map<String, Long>> schedules;
    private final Answers<Map<String, Double>> balloons;
    private long balloonsMove = Long.MIN_VALUE;

    LibvirtKnobs(Host host, Virsh virsh, Machines machines, LongSupplier nanos) {
        this.virsh = virsh;
        this.machines = machines;
        this.nanos = nanos;
        affinity = new ThreadAffinity(host);
        schedules = new Answers<>(virsh, machines, nanos, "schedinfo", VirshText::schedule);
        balloons = new Answers<>(virsh, machines, nanos, "domstats --nowait --balloon", VirshText::statistics);
    }

    Map<String, Long> schedule(Machine machine) throws IOException, InterruptedException {
        return schedules.of(machine, FRESH_NANOS);
    }

    Map<String, Double> balloon(Machine machine) throws IOException, InterruptedException {
        return balloons.of(machine, nanos.getAsLong() < balloonsMove ? GLANCE_NANOS : FRESH_NANOS);
    }

    private static <T> T value(Map<String, T> said, String name, String command, Machine machine) throws IOException {
        T value = said.get(name);
        if (value == null) {
            throw new IOException("virsh " + command + " of domain " + machine.name() + " has no " + name);
        }
        return value;
    }

    private long setting(Machine machine, String name) throws IOException, InterruptedException {
        return value(schedule(machine), name, "schedinfo", machine);
    }

    /** The quota that is the cap. */
    private String limit(Machine machine) throws IOException, InterruptedException {
        Map<String, Long> said = schedule(machine);
        boolean global = said.containsKey(GLOBAL + "_quota") && !VirshText.isNone(said.get(GLOBAL + "_quota"));
        boolean vcpu = said.containsKey(VCPU + "_quota") && !VirshText.isNone(said.get(VCPU + "_quota"));
        return global || said.containsKey(GLOBAL + "_quota") && !vcpu ? GLOBAL : VCPU;
    }

    /** Kept in KiB by libvirt. */
    private long kib(Machine machine) throws IOException, InterruptedException {
        return value(balloon(machine), "balloon.current", "domstats", machine).longValue();
    }

    int get(GuestKnob knob, List<Integer> online) throws IOException, InterruptedException {
        Machine machine = machines.of(knob.target().whose().orElseThrow());
        return switch (knob.kind()) {
            case WEIGHT -> weight(machine);
            case CAP -> cap(machine);
            case MEMORY -> (int) Math.round(kib(machine) / (double) KIB_BY_MIB);
            case AFFINITY -> CpuSets.affinity(affinity.of(vcpu(machine, knob)).cpus(), online);
            case CPUSET -> helpers(machine);
            default -> throw new IOException("libvirt has no " + knob.kind().key());
        };
    }

    private int weight(Machine machine) throws IOException, InterruptedException {
        long shares = setting(machine, "cpu_shares");
        return (int) Math.max(1, Math.round(shares / (machine.shares() ? SHARES_BY_WEIGHT : WEIGHT_2_BY_WEIGHT)));
    }

    private int cap(Machine machine) throws IOException, InterruptedException {
        String limit = limit(machine);
        long quota = setting(machine, limit + "_quota");
        double each = 1000.0 * quota / Math.max(1, setting(machine, limit + "_period"));
        return VirshText.isNone(quota) ? 0 : (int) Math.max(1, Math.round(limit.equals(VCPU) ? each * machine.info().vcpus() : each));
    }

    private int vcpu(Machine machine, GuestKnob knob) throws IOException, InterruptedException {
        int number = ((Target.OfVcpu) knob.target()).number();
        Integer thread = machines.threads(machine).get("c" + number);
        if (thread == null) {
            throw new IOException("no thread of domain " + machine.name() + " is named as virtual CPU " + number);
        }
        return thread;
    }

    /** By what virsh calls them: the emulator, and the numbers of I/O threads. */
    private Map<String, List<Integer>> pins(Machine machine) throws IOException, InterruptedException {
        Map<String, List<Integer>> pins = new LinkedHashMap<>();
        pins.put("emulator", affinity.of(machine.process()).cpus());
        for (Map.Entry<String, Integer> thread : machines.threads(machine).entrySet()) {
            if (thread.getKey().startsWith("i")) {
                pins.put(thread.getKey().substring(1), affinity.of(thread.getValue()).cpus());
            }
        }
        return pins;
    }

    /** The set that they share; 0 where they have several. */
    private int helpers(Machine machine) throws IOException, InterruptedException {
        List<List<Integer>> sets = pins(machine).values().stream().distinct().toList();
        try {
            return sets.size() == 1 ? CpuSets.mask(sets.get(0)) : 0;
        } catch (IllegalArgumentException e) {
            throw new IOException("emulator and I/O threads of domain " + machine.name() + ": " + e.getMessage(), e);
        }
    }

    String exact(GuestKnob knob) throws IOException, InterruptedException {
        Machine machine = machines.of(knob.target().whose().orElseThrow());
        return switch (knob.kind()) {
            case WEIGHT -> Long.toString(setting(machine, "cpu_shares"));
            case CAP -> limit(machine) + " " + setting(machine, limit(machine) + "_quota") + " " + setting(machine, limit(machine) + "_period");
            case MEMORY -> Long.toString(kib(machine));
            case AFFINITY -> CpuSets.format(affinity.of(vcpu(machine, knob)).cpus());
            case CPUSET -> {
                List<String> words = new ArrayList<>();
                pins(machine).forEach((of, cpus) -> words.add(of + "=" + CpuSets.format(cpus)));
                yield String.join(" ", words);
            }
            default -> throw new IOException("libvirt has no " + knob.kind().key());
        };
    }

    void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        Machine machine = machines.require(knob.target().whose().orElseThrow());
        try {
            switch (knob.kind()) {
                case WEIGHT -> schedule(machine, List.of("cpu_shares=" + Math.max(1, Math.round(value
                        * (machine.shares() ? SHARES_BY_WEIGHT : WEIGHT_2_BY_WEIGHT)))));
                case CAP -> schedule(machine, List.of(quota(machine, value)));
                case MEMORY -> balloon(machine, value == 0 ? machine.info().maxKib() : value * KIB_BY_MIB);
                case AFFINITY -> pin(machine, knob, Integer.toString(value));
                case CPUSET -> {
                    Map<String, String> pins = new LinkedHashMap<>();
                    helpersOf(machine).forEach(of -> pins.put(of, CpuSets.format(CpuSets.cpus(value))));
                    pinAll(machine, pins);
                }
                default -> throw new NotDoneException("libvirt has no " + knob.kind().key());
            }
        } catch (Unread e) {
            throw new NotDoneException("cannot set " + knob.label() + " to " + value + ": " + e.getMessage(), e);
        }
    }

    private Set<String> helpersOf(Machine machine) throws Unread, InterruptedException {
        try {
            return pins(machine).keySet();
        } catch (IOException e) {
            throw new Unread(e);
        }
    }

    /** What had to be known before an order could be sent. */
    private static final class Unread extends IOException {
        private static final long serialVersionUID = 1;

        Unread(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private String quota(Machine machine, int value) throws IOException, InterruptedException {
        try {
            String limit = limit(machine);
            double each = value / 1000.0 * setting(machine, limit + "_period");
            long quota = Math.round(limit.equals(VCPU) ? each / machine.info().vcpus() : each);
            return limit + "_quota=" + (value == 0 ? none(machine) : quota);
        } catch (IOException e) {
            throw new Unread(e);
        }
    }

    /** A negative one is written as it is into the file of version 2 by some versions, which the kernel refuses. */
    private static long none(Machine machine) {
        return machine.shares() ? -1 : VirshText.NO_QUOTA;
    }

    void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        Machine machine = machines.require(knob.target().whose().orElseThrow());
        Matcher quota = QUOTA.matcher(exact);
        switch (knob.kind()) {
            case WEIGHT -> schedule(machine, List.of("cpu_shares=" + number(knob, exact)));
            case MEMORY -> balloon(machine, Math.min(machine.info().maxKib(), number(knob, exact)));
            case AFFINITY -> pin(machine, knob, exact);
            case CAP -> {
                if (!quota.matches()) {
                    throw unknown(knob, exact);
                }
                long of = Long.parseLong(quota.group(2));
                schedule(machine, List.of(quota.group(1) + "_period=" + quota.group(3),
                        quota.group(1) + "_quota=" + (VirshText.isNone(of) ? none(machine) : of)));
            }
            case CPUSET -> {
                Map<String, String> pins = new LinkedHashMap<>();
                for (String word : exact.split(" ")) {
                    String[] parts = word.split("=");
                    if (parts.length != 2 || !parts[0].matches("emulator|\\d{1,4}")) {
                        throw unknown(knob, exact);
                    }
                    pins.put(parts[0], parts[1]);
                }
                pinAll(machine, pins);
            }
            default -> throw new NotDoneException("libvirt has no " + knob.kind().key());
        }
    }

    /** Once one thread is moved, a refusal of another leaves the order half done, and so open: then the restore finds it. */
    private void pinAll(Machine machine, Map<String, String> pins) throws IOException, InterruptedException {
        boolean moved = false;
        for (Map.Entry<String, String> each : pins.entrySet()) {
            try {
                pin(machine, each.getKey(), each.getValue());
            } catch (NotDoneException e) {
                if (moved) {
                    throw new IOException("some threads were moved, then: " + e.getMessage(), e);
                }
                throw e;
            }
            moved = true;
        }
    }

    private static NotDoneException unknown(GuestKnob knob, String exact) {
        return new NotDoneException(knob.label() + ": expected what was noted of it, got \"" + exact + "\"");
    }

    private static long number(GuestKnob knob, String exact) throws NotDoneException {
        if (!exact.matches("\\d{1,18}")) {
            throw unknown(knob, exact);
        }
        return Long.parseLong(exact);
    }

    private void schedule(Machine machine, List<String> settings) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("schedinfo", Integer.toString(machine.id()), "--live"));
        settings.forEach(one -> words.addAll(List.of("--set", one)));
        try {
            virsh.change(words);
        } finally {
            schedules.expire();
        }
    }

    private void balloon(Machine machine, long kib) throws IOException, InterruptedException {
        try {
            virsh.change(List.of("setmem", Integer.toString(machine.id()), Long.toString(kib), "--live"));
        } finally {
            balloons.expire();
            balloonsMove = nanos.getAsLong() + BALLOON_NANOS;
        }
    }

    private void pin(Machine machine, GuestKnob knob, String cpus) throws IOException, InterruptedException {
        change(List.of("vcpupin", Integer.toString(machine.id()), Integer.toString(((Target.OfVcpu) knob.target()).number())), cpus);
    }

    private void pin(Machine machine, String of, String cpus) throws IOException, InterruptedException {
        String id = Integer.toString(machine.id());
        change(of.equals("emulator") ? List.of("emulatorpin", id) : List.of("iothreadpin", id, of), cpus);
    }

    private void change(List<String> command, String cpus) throws IOException, InterruptedException {
        if (!CPUS.matcher(cpus).matches()) {
            throw new NotDoneException("virsh " + String.join(" ", command) + ": expected CPUs such as 0-3,8, got \"" + cpus + "\"");
        }
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(cpus, "--live"));
        virsh.change(words);
    }
}
