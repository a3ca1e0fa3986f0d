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
 * guest, made for it and removed at the end. A group that is there
 * already under the same name is one that an earlier agent left. It never ran on hardware: no machine with resctrl was at hand.
 */
final class Resctrl implements IntensityMeter {
    static final String ROOT = "/sys/fs/resctrl";
    private static final String GROUPS = ROOT + "/mon_groups/";
    private static final String NAME = "ic2-";
    private static final String COUNTER = "/mbm_total_bytes";
    private static final String NONE = "no " + ROOT + "/mon_groups: this processor, or its hypervisor, does not count memory traffic, or"
            + " resctrl is not mounted (mount -t resctrl resctrl " + ROOT + ")";
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Host host;
    private final LongSupplier nanos;
    private final GuestThreads threads;
    private final CounterRates rates = new CounterRates();
    private final Map<String, Set<Integer>> members = new HashMap<>();

    Resctrl(Host host, LongSupplier nanos) {
        this.host = host;
        this.nanos = nanos;
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
        Set<String> gone = new HashSet<>(members.keySet());
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
        String group = path(guest.uuid());
        if (!members.containsKey(guest.uuid())) {
            make(group);
            members.put(guest.uuid(), new HashSet<>());
        }
        Set<Integer> known = members.get(guest.uuid());
        List<Integer> now = threads.of(guest);
        known.retainAll(now);
        for (int thread : now) {
            if (known.add(thread)) {
                join(group, thread);
            }
        }
        double rate = rates.rate(guest.uuid(), bytes(group));
        return new Intensity(rate, Double.isNaN(rate) ? "counting has just begun" : "");
    }

    private void make(String group) throws IOException, InterruptedException {
        List<String> there;
        try {
            there = host.list(GROUPS.substring(0, GROUPS.length() - 1));
        } catch (IOException e) {
            throw new IOException(NONE, e);
        }
        if (!there.contains(group.substring(GROUPS.length()) + "/")) {
            CommandResult made = host.run(List.of("mkdir", group), DEADLINE);
            if (!made.succeeded()) {
                throw new IOException("cannot make " + group + ": " + made.lastLine());
            }
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

    /** Its threads count with the group above again. */
    private void remove(String uuid) throws InterruptedException {
        members.remove(uuid);
        try {
            host.run(List.of("rmdir", path(uuid)), DEADLINE);
        } catch (IOException e) {
            // the next agent takes it over
        }
    }

    @Override
    public void close() {
        try {
            for (String uuid : List.copyOf(members.keySet())) {
                remove(uuid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
