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
import org.ic2.host.backend.resctrl.ThreadGroups;
import org.ic2.host.backend.resctrl.ThreadGroups.Place;
import org.ic2.host.model.Guest;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;

/**
 * Bytes that a guest's threads moved between the third cache and memory: {@code mbm_total_bytes} of a monitoring group for each
 * guest, in the control group in which its threads are, as no other takes them. One that is missing is made, and removed at the end;
 * one that is there already is another's, or one that a killed agent left: it is used, and stays. Who must not write reads what others
 * have made. It never ran on hardware: no machine with resctrl was at hand.
 */
final class Resctrl implements IntensityMeter {
    static final String ROOT = "/sys/fs/resctrl";
    private static final String GROUPS = "/mon_groups/";
    private static final String NAME = "ic2-";
    private static final String COUNTER = "/mbm_total_bytes";
    private static final String NONE = "no " + ROOT + "/mon_groups: this processor, or its hypervisor, does not count memory traffic, or"
            + " resctrl is not mounted (mount -t resctrl resctrl " + ROOT + ")";
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    /** A guest's group: which directory of that name, and whether it was made here. */
    private record Group(String path, long inode, boolean ours) {
    }

    private final Host host;
    private final LongSupplier nanos;
    private final boolean writes;
    private final GuestThreads threads;
    private final ThreadGroups places;
    private final CounterRates rates = new CounterRates();
    private final Map<String, Group> groups = new HashMap<>();

    /** @param writes false if groups are neither made nor filled, but read where they are there */
    Resctrl(Host host, LongSupplier nanos, boolean writes) {
        this.host = host;
        this.nanos = nanos;
        this.writes = writes;
        threads = new GuestThreads(host);
        places = new ThreadGroups(host);
    }

    @Override
    public String source() {
        return "resctrl: mbm_total_bytes, B/s";
    }

    @Override
    public Optional<String> lack() throws InterruptedException {
        try {
            host.list(ROOT + "/mon_groups");
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

    private static String name(Guest guest) {
        return NAME + guest.uuid().replaceAll("[^A-Za-z0-9.-]", "_");
    }

    private Intensity of(Guest guest) throws IOException, InterruptedException {
        Optional<String> lack = lack();
        if (lack.isPresent()) {
            throw new IOException(lack.get());
        }
        Map<Integer, Place> now = places.of(threads.of(guest));
        String path = directory(now) + GROUPS + name(guest);
        Group group = group(guest.uuid(), path);
        if (writes) {
            join(path, name(guest), now);
        }
        double rate = rates.rate(path + " " + group.inode(), bytes(path));
        return new Intensity(rate, Double.isNaN(rate) ? "counting has just begun" : "");
    }

    /** Of the control group in which threads are: a knob may have moved them. */
    private static String directory(Map<Integer, Place> threads) throws IOException {
        List<String> all = threads.values().stream().map(Place::control).distinct().toList();
        if (all.size() > 1) {
            throw new IOException("its threads are in several control groups of resctrl: " + all);
        }
        for (Place place : threads.values()) {
            place.requireOurs();
        }
        return all.isEmpty() || all.get(0).isEmpty() ? ROOT : ROOT + "/" + all.get(0);
    }

    private void join(String path, String name, Map<Integer, Place> threads) throws IOException, InterruptedException {
        for (Map.Entry<Integer, Place> thread : threads.entrySet()) {
            if (!thread.getValue().monitor().equals(name)) {
                join(path, thread.getKey());
            }
        }
    }

    /** The one that is there; what was known of one that somebody has removed, or made anew, is not true of it. */
    private Group group(String uuid, String path) throws IOException, InterruptedException {
        OptionalLong there = inode(path);
        Group known = groups.get(uuid);
        if (known != null && known.path().equals(path) && there.equals(OptionalLong.of(known.inode()))) {
            return known;
        }
        if (known != null) {
            remove(uuid);
            there = inode(path);
        }
        if (there.isEmpty()) {
            make(path);
        }
        Group group = new Group(path, host.inode(path), there.isEmpty());
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
        if (!group.ours() || !inode(group.path()).equals(OptionalLong.of(group.inode()))) {
            return;
        }
        try {
            host.run(List.of("rmdir", group.path()), DEADLINE);
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
