// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.ic2.host.backend.PerfGroups;
import org.ic2.host.model.Guest;
import org.ic2.runtime.host.Host;

/**
 * How often an event of perf happens while a guest's control group runs. perf finds groups in the hierarchy of version 1's
 * {@code perf_event} where that is mounted, else in version 2's, which may lie beside version 1's others.
 */
public final class GroupCounts implements AutoCloseable {

    /**
     * A rate.
     *
     * @param perSecond NaN if there is none
     * @param why       there is none
     */
    public record Rate(double perSecond, String why) {
        static Rate none(String why) {
            return new Rate(Double.NaN, why);
        }
    }

    private final Host host;
    private final PerfGroups perf;
    private final Map<String, GroupFiles> known = new HashMap<>();

    /** @param event perf's options that name it */
    public GroupCounts(Host host, List<String> event, LongSupplier nanos) {
        this.host = host;
        perf = new PerfGroups(host, event, nanos);
    }

    /** The rates since the last call, by the guests' uuids; the guests are those of {@link CgroupBackend}. */
    public Map<String, Rate> rates(List<Guest> guests) throws InterruptedException {
        Map<String, Rate> rates = new LinkedHashMap<>();
        Map<String, String> groups = new LinkedHashMap<>();
        known.keySet().retainAll(guests.stream().map(Guest::uuid).toList());
        boolean first = false;
        for (Guest guest : guests) {
            first |= files(guest).has(GroupFile.PERF);
        }
        for (Guest guest : guests) {
            String why = lack(guest, first ? GroupFile.PERF : GroupFile.THREADS);
            if (why.isEmpty()) {
                groups.put(guest.id(), guest.uuid());
            } else {
                rates.put(guest.uuid(), Rate.none(why));
            }
        }
        count(groups, rates);
        return rates;
    }

    private GroupFiles files(Guest guest) {
        return known.computeIfAbsent(guest.uuid(), uuid -> new GroupFiles(host, guest.id()));
    }

    /** Why a group's counts would say nothing of the guest; empty if they do. */
    private String lack(Guest guest, GroupFile list) throws InterruptedException {
        GroupFiles files = files(guest);
        if (!PerfGroups.canName(guest.id())) {
            return "perf cannot be told of a control group whose name holds a comma or a semicolon";
        }
        if (!files.has(list)) {
            return "no control group of the guest's name in perf_event or in version 2";
        }
        try {
            boolean elsewhere = GroupThreads.of(host, files.directory(list).orElseThrow(), list.file()).isEmpty()
                    && !GroupThreads.of(host, files).isEmpty();
            return elsewhere ? "its threads are not in its group of " + (list == GroupFile.PERF ? "perf_event" : "version 2") : "";
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private void count(Map<String, String> groups, Map<String, Rate> rates) throws InterruptedException {
        try {
            perf.counts(groups.keySet()).forEach((group, count) -> rates.put(groups.get(group), count.seconds() > 0
                    ? new Rate(count.count() / count.seconds(), "") : Rate.none("perf has not told anything yet")));
        } catch (IOException e) {
            groups.values().forEach(uuid -> rates.put(uuid, Rate.none(e.getMessage())));
        }
    }

    @Override
    public void close() {
        perf.close();
    }
}
