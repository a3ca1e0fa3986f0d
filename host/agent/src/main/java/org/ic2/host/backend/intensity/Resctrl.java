// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.host.backend.cgroup.GuestThreads;
import org.ic2.host.model.Guest;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;

/**
 * Bytes that a guest's threads moved between the third cache and memory: {@code mbm_total_bytes} of a monitoring group for each
 * guest. One that is missing is made, and removed at the end; one that is there already is another's, or one that a killed agent
 * left: it is used, and stays. Who must not write reads what others have made. It never ran on hardware: no machine with resctrl was
 * at hand.
 */
final class Resctrl implements IntensityMeter {
    static final String ROOT = "/sys/fs/resctrl";
    private static final String GROUPS = ROOT + "/mon_groups/";
    private static final String NAME = "ic2-";
    private static final String COUNTER = "/mbm_total_bytes";
    private static final String NONE = "no " + ROOT + "/mon_groups: this processor, or its hypervisor, does not count memory traffic, or"
            + " resctrl is not mounted (mount -t resctrl resctrl " + ROOT + ")";
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    /** A guest's group: which directory of that name, whether it was made here, and the threads that were sent into it. */
    private record Group(long inode, boolean ours, Set<Integer> members) {
    }

    private final Host host;
    private final LongSupplier nanos;
    private final boolean writes;
    private final GuestThreads threads;
    private final CounterRates rates = new CounterRates();
    private final Map<String, Group> groups = new HashMap<>();

    /** @param writes false if groups are neither made nor filled, but read where they are there */
    Resctrl(Host host, LongSupplier nanos, boolean writes) {
        this.host = host;
        this.nanos = nanos;
        this.writes = writes;
        threads = new GuestThreads(host);
    }

    @Override
    public String source() {
        return "resctrl: mbm_total_bytes, B/s";
    }

    @Override
    public Optional<String> lack() throws InterruptedException {
        try {
            host.list(GROUPS.substring(0, GROUPS.length() - 1));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(NONE);
        }
    }

    @Override
    public boolean dear() {
        return true;
    }

    @Override
    public Map<String, Intensity> read(List<Guest> guests) throws InterruptedException {
        rates.begin(nanos.getAsLong());
        Map<String, Intensity> values = new LinkedHashMap<>();
        Set<String> gone = new HashSet<>(groups.keySet());
        for (Guest guest : guests) {
            gone.remove(guest.uuid());
            try {
                values.put(guest.uuid(), of(guest));
            } catch (IOException e) {
                values.put(guest.uuid(), Intensity.none(e.getMessage()));
            }
        }
        for (String uuid : gone) {
            remove(uuid);
        }
        return values;
    }

    private static String path(String uuid) {
        return GROUPS + NAME + uuid.replaceAll("[^A-Za-z0-9.-]", "_");
    }

    private Intensity of(Guest guest) throws IOException, InterruptedException {
        String path = path(guest.uuid());
        Group group = group(guest.uuid(), path);
        if (writes) {
            List<Integer> now = threads.of(guest);
            group.members().retainAll(now);
            for (int thread : now) {
                if (!group.members().contains(thread)) {
                    join(path, thread);
                    group.members().add(thread);
                }
            }
        }
        double rate = rates.rate(guest.uuid() + " " + group.inode(), bytes(path));
        return new Intensity(rate, Double.isNaN(rate) ? "counting has just begun" : "");
    }

    /** The one that is there; what was known of one that somebody has removed, or made anew, is not true of it. */
    private Group group(String uuid, String path) throws IOException, InterruptedException {
        OptionalLong there = inode(path);
        Group known = groups.get(uuid);
        if (known != null && there.equals(OptionalLong.of(known.inode()))) {
            return known;
        }
        groups.remove(uuid);
        if (there.isEmpty()) {
            make(path);
        }
        Group group = new Group(host.inode(path), there.isEmpty(), new HashSet<>());
        groups.put(uuid, group);
        return group;
    }

    private OptionalLong inode(String path) throws InterruptedException {
        try {
            return OptionalLong.of(host.inode(path));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private void make(String group) throws IOException, InterruptedException {
        Optional<String> lack = lack();
        if (lack.isPresent()) {
            throw new IOException(lack.get());
        }
        if (!writes) {
            throw new IOException("no " + group + ": a running agent makes it, advise makes none");
        }
        CommandResult made = host.run(List.of("mkdir", group), DEADLINE);
        if (!made.succeeded()) {
            throw new IOException("cannot make " + group + ": " + made.lastLine());
        }
    }

    private void join(String group, int thread) throws IOException, InterruptedException {
        try {
            host.write(group + "/tasks", Integer.toString(thread));
        } catch (IOException e) {
            try {
                host.read("/proc/" + thread + "/comm");
            } catch (IOException ended) {
                return;
            }
            throw e;
        }
    }

    /** Of all the third caches together. */
    private double bytes(String group) throws IOException, InterruptedException {
        double sum = 0;
        List<String> caches = new ArrayList<>(host.list(group + "/mon_data"));
        caches.removeIf(name -> !name.startsWith("mon_L3_"));
        for (String cache : caches) {
            String path = group + "/mon_data/" + cache.replace("/", "") + COUNTER;
            String text = host.read(path).strip();
            if (!Decimals.are(text, 19)) {
                throw new IOException("expected bytes in " + path + ", got \"" + text + "\"");  // Unavailable, Error
            }
            sum += Double.parseDouble(text);
        }
        if (caches.isEmpty()) {
            throw new IOException("expected mon_L3_00 in " + group + "/mon_data, got nothing");
        }
        return sum;
    }

    /** Its threads count with the group above again. What somebody else has made is not ours to remove. */
    private void remove(String uuid) throws InterruptedException {
        Group group = groups.remove(uuid);
        if (!group.ours() || !inode(path(uuid)).equals(OptionalLong.of(group.inode()))) {
            return;
        }
        try {
            host.run(List.of("rmdir", path(uuid)), DEADLINE);
        } catch (IOException e) {
            // the next agent takes it over
        }
    }

    @Override
    public void close() {
        try {
            for (String uuid : List.copyOf(groups.keySet())) {
                remove(uuid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
