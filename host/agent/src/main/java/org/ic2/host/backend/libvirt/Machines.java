// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.backend.cgroup.GroupFigures;
import org.ic2.host.backend.libvirt.VirshText.Info;
import org.ic2.host.backend.libvirt.VirshText.Row;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.sensor.Decimals;

/**
 * The domains that run. Which run of a domain it is, its process tells: libvirt's numbers begin anew with libvirt, the process and
 * the time of its start do not.
 */
final class Machines {
    private static final String PROCESSES = "/run/libvirt/qemu/";
    private static final long FRESH_NANOS = 1_000_000_000L;
    /** So long virtual CPUs and the most memory are believed, which are seldom changed. */
    private static final long INFO_NANOS = 60_000_000_000L;
    private static final int TRIES = 3;
    private static final int PAUSE_MILLIS = 200;
    private static final long KIB = 1024;
    /** Of {@code /proc/PID/stat}, behind the name. */
    private static final int START_TIME = 19;
    /** Where libvirt puts the process itself, below the domain's own group. */
    private static final Pattern GROUP = Pattern.compile("/(.+)/emulator");
    private static final Pattern THREAD = Pattern.compile("(?:CPU (\\d{1,4})/[A-Z]{2,5}|IO iothread(\\d{1,4}))");

    /**
     * A run of a domain.
     *
     * @param id      as virsh takes it
     * @param run     the process and the time of its start
     * @param group   its control group; empty if it has none of its own
     * @param shares  true where CPU time is shared out by version 1 of control groups
     * @param told    when libvirt was asked for vCPUs and memory
     */
    record Machine(int id, String name, Info info, int process, String run, String group, boolean shares, long told) {
        String uuid() {
            return info.uuid() + "@" + run;
        }

        Guest guest() {
            return new Guest(group.isEmpty() ? "libvirt/" + id : group, uuid(), name, info.vcpus(), 0, info.maxKib() * KIB, GuestClass.NLS,
                    Double.NaN, Double.NaN);
        }
    }

    private final Host host;
    private final Virsh virsh;
    private final GroupFigures groups;
    private final LongSupplier nanos;
    private final Map<Integer, Machine> known = new LinkedHashMap<>();
    private final Map<String, String> refused = new LinkedHashMap<>();
    private long asked;
    private boolean any;
    private Optional<List<String>> saved = Optional.empty();
    private long savedAsked;

    Machines(Host host, Virsh virsh, GroupFigures groups, LongSupplier nanos) {
        this.host = host;
        this.virsh = virsh;
        this.groups = groups;
        this.nanos = nanos;
    }

    /**
     * Those that run now, or a second ago.
     *
     * @throws IOException when one cannot be told: who is left out would be taken for gone
     */
    List<Machine> running() throws IOException, InterruptedException {
        if (any && nanos.getAsLong() - asked < FRESH_NANOS) {
            return List.copyOf(known.values());
        }
        for (int tries = 1; true; tries++) {
            try {
                Map<Integer, Machine> now = look();
                known.clear();
                known.putAll(now);
                asked = nanos.getAsLong();
                any = true;
                return List.copyOf(now.values());
            } catch (Unsettled e) {
                if (tries == TRIES) {
                    throw new IOException(e.getMessage(), e);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** A domain that is coming or going. */
    private static final class Unsettled extends Exception {
        private static final long serialVersionUID = 1;

        Unsettled(String message) {
            super(message);
        }
    }

    private Map<Integer, Machine> look() throws IOException, InterruptedException, Unsettled {
        long now = nanos.getAsLong();
        List<Row> rows = VirshText.list(virsh.ask("list"));
        List<String> printed = rows.stream().map(Row::printed).toList();
        Map<Integer, Machine> present = new LinkedHashMap<>();
        List<Integer> unknown = new ArrayList<>();
        for (Row row : rows) {
            Machine before = known.get(row.id());
            if (before == null || !before.name().equals(row.printed()) || Collections.frequency(printed, row.printed()) > 1) {
                unknown.add(row.id());      // who it is cannot be told by what the list prints
                continue;
            }
            Optional<String> run = run(before.name(), before);
            if (run.equals(Optional.of(before.run())) && now - before.told() < INFO_NANOS) {
                present.put(row.id(), before);
            } else if (run.isPresent()) {
                unknown.add(row.id());
            }
        }
        Map<Integer, String> told = unknown.isEmpty() ? Map.of() : virsh.each("dominfo", unknown);
        refused.clear();
        for (int id : unknown) {
            if (!told.containsKey(id)) {
                throw new Unsettled("domain " + id + " runs, and virsh dominfo " + id + " says nothing of it");
            }
            machine(id, told.get(id), now).ifPresent(machine -> present.put(id, machine));
        }
        return present;
    }

    /** Empty if it has ended, or is refused. */
    private Optional<Machine> machine(int id, String told, long now) throws IOException, InterruptedException, Unsettled {
        String name = VirshText.name(told);
        Optional<String> why = VirshText.unusable(name);
        if (why.isPresent()) {
            refused.put("domain " + id + " (\"" + BoundedText.brief(name.replaceAll("[\\p{Cc}\u2028\u2029]", "?")) + "\")", why.get());
            return Optional.empty();
        }
        Optional<Machine> before = Optional.ofNullable(known.get(id)).filter(machine -> machine.name().equals(name));
        Optional<String> run = run(name, before.orElse(null));
        if (run.isEmpty()) {
            return Optional.empty();
        }
        int pid = Integer.parseInt(run.get().substring(0, run.get().indexOf('.')));
        String group = group(pid);
        return Optional.of(new Machine(id, name, VirshText.info(told), pid, run.get(), group, !group.isEmpty() && groups.hasShares(group), now));
    }

    /** Which run of a domain it is; empty if the one that was known has ended, and libvirt is about to notice. */
    private Optional<String> run(String name, Machine before) throws InterruptedException, Unsettled {
        Optional<String> process = process(name);
        if (process.isEmpty() && before == null) {
            throw new Unsettled("domain " + name + " runs, and its process cannot be told: expected its number in " + PROCESSES + name + ".pid");
        }
        return process.isPresent() ? process : started(before.process()).filter(before.run()::equals);
    }

    /** Domains that run and cannot be guests, and why: nothing of theirs is ever moved. */
    Map<String, String> refused() {
        return Map.copyOf(refused);
    }

    /** The number of a domain's process and when it was started; empty if that cannot be told. */
    private Optional<String> process(String name) throws InterruptedException {
        try {
            String number = host.read(PROCESSES + name + ".pid").strip();
            return Decimals.are(number, 9) ? started(Integer.parseInt(number)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<String> started(int process) throws InterruptedException {
        try {
            String text = host.read("/proc/" + process + "/stat");
            String[] words = text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
            return words.length > START_TIME && Decimals.are(words[START_TIME], 19) && !words[0].equals("Z")
                    ? Optional.of(process + "." + words[START_TIME]) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private String group(int process) throws InterruptedException {
        try {
            String second = "";
            for (String line : host.read("/proc/" + process + "/cgroup").lines().toList()) {
                String[] parts = line.split(":", 3);
                Matcher group = GROUP.matcher(parts.length == 3 ? parts[2] : "");
                if (group.matches() && List.of(parts[1].split(",")).contains("cpu")) {
                    return group.group(1);
                }
                second = group.matches() && parts[1].isEmpty() ? group.group(1) : second;
            }
            return second;
        } catch (IOException e) {
            return "";
        }
    }

    /** The machine of a guest that was given some time ago. */
    Machine of(Target.OfGuest guest) throws IOException, InterruptedException {
        for (Machine machine : any ? List.copyOf(known.values()) : running()) {
            if (machine.uuid().equals(guest.uuid())) {
                return machine;
            }
        }
        throw new IOException("domain " + guest.name() + " is gone, or was started again");
    }

    /** The same just before an order. */
    Machine require(Target.OfGuest guest) throws NotDoneException, InterruptedException {
        try {
            Machine machine = of(guest);
            if (!started(machine.process()).equals(Optional.of(machine.run()))) {
                throw new IOException("domain " + guest.name() + " is gone, or was started again");
            }
            return machine;
        } catch (IOException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
    }

    /** The UUIDs of domains that do not run, and were saved with all that was set of them. */
    List<String> saved() throws IOException, InterruptedException {
        if (saved.isEmpty() || nanos.getAsLong() - savedAsked >= FRESH_NANOS) {
            saved = Optional.of(virsh.ask("list", "--inactive", "--with-managed-save", "--uuid").lines().map(String::strip)
                    .filter(line -> !line.isEmpty()).toList());
            savedAsked = nanos.getAsLong();
        }
        return saved.get();
    }

    /** Threads by what they are: virtual CPUs by {@code c} and their number, I/O threads by {@code i} and theirs. */
    Map<String, Integer> threads(Machine machine) throws IOException, InterruptedException {
        String directory = "/proc/" + machine.process() + "/task";
        Map<String, Integer> threads = new TreeMap<>();
        for (String entry : host.list(directory)) {
            String number = entry.replace("/", "");
            String name;
            try {
                name = host.read(directory + "/" + number + "/comm").strip();
            } catch (IOException e) {
                continue;   // it has ended
            }
            Matcher thread = THREAD.matcher(name);
            if (thread.matches() && Decimals.are(number, 9)) {
                threads.put(thread.group(1) != null ? "c" + thread.group(1) : "i" + thread.group(2), Integer.valueOf(number));
            }
        }
        if (threads.isEmpty()) {
            throw new IOException("expected threads named \"CPU 0/KVM\" in " + directory + " of domain " + BoundedText.brief(machine.name())
                    + ", got none");
        }
        return threads;
    }
}
