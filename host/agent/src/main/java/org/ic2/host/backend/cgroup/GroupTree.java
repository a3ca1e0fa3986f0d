// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CgroupFiles;

/** The children of one control group, each known by the number of its directory. */
final class GroupTree {
    private static final Pattern ESCAPED = Pattern.compile("\\\\x([0-9a-f]{2})");
    /** Who only looks may take it for granted so long that a group is still the one that it was. */
    private static final long TRUSTED_NANOS = 1_000_000_000;

    /** A group that holds no virtual CPUs is asked again so long, since a machine starts them a while after its group. */
    private static final long YOUNG_NANOS = 60_000_000_000L;
    private static final long LOOK_NANOS = 15_000_000_000L;

    /**
     * A group.
     *
     * @param vcpus  the threads that are its machine's virtual CPUs, by number
     * @param kept   why it may have no limit of memory: it holds a machine, or that cannot be told
     * @param first  when it was seen for the first time
     * @param looked when these threads were looked for
     * @param seen   when it was there
     */
    private record Known(String uuid, GroupFiles files, int cpus, Map<Integer, Integer> vcpus, Optional<String> kept, long first,
            long looked, long seen) {
        int count() {
            return vcpus.isEmpty() ? cpus : vcpus.keySet().stream().mapToInt(Integer::intValue).max().getAsInt() + 1;
        }

        boolean isStale(long now, boolean limited) {
            return now - looked >= LOOK_NANOS && (limited || !vcpus.isEmpty() || kept.isPresent() || looked - first < YOUNG_NANOS);
        }
    }

    private final Host host;
    private final String parent;
    private final LongSupplier nanos;
    private final Map<String, Known> known = new HashMap<>();
    /** Whose limits of memory were written here, and may be in force. */
    private final Set<String> limited = new HashSet<>();
    private String directory = "";

    GroupTree(Host host, String parent, LongSupplier nanos) {
        this.host = host;
        this.parent = parent;
        this.nanos = nanos;
    }

    /** The directory of the parent in the hierarchy that rules its CPU time, or else its memory; of version 2 where both might. */
    Optional<String> directory() throws InterruptedException {
        CgroupFiles files = new CgroupFiles(host, CgroupFiles.ROOT, parent);
        Optional<String> second = files.version2("cgroup.controllers");
        for (String controller : List.of("cpu", "memory")) {
            if (second.isPresent() && rules(second.get(), controller)) {
                return second.map(GroupTree::directoryOf);
            }
            Optional<String> first = files.version1("cgroup.procs", GroupFile.mounts(controller));
            if (first.isPresent()) {
                return first.map(GroupTree::directoryOf);
            }
        }
        return second.map(GroupTree::directoryOf);
    }

    private boolean rules(String controllers, String controller) throws InterruptedException {
        try {
            return List.of(host.read(controllers).strip().split(" ")).contains(controller);
        } catch (IOException e) {
            return false;   // it has just gone
        }
    }

    private static String directoryOf(String file) {
        return file.substring(0, file.lastIndexOf('/'));
    }

    /** Those that are there now. */
    List<Guest> guests(int cpus, long memory) throws IOException, InterruptedException {
        directory = directory().orElse("");
        List<Guest> guests = new ArrayList<>();
        Map<String, Known> present = new HashMap<>();
        // without its directory the last guest has gone, and the parent with it
        for (String entry : directory.isEmpty() ? List.<String>of() : host.list(directory)) {
            if (entry.endsWith("/")) {
                String name = entry.substring(0, entry.length() - 1);
                String id = parent + "/" + name;
                Optional<String> uuid = identity(id);
                if (uuid.isPresent()) {
                    Known now = known(id, uuid.get(), cpus);
                    present.put(id, now);
                    guests.add(new Guest(id, uuid.get(), plain(name), now.count(), 0, memory, GuestClass.NLS, Double.NaN,
                            Double.NaN, now.vcpus().isEmpty()));
                }
            }
        }
        known.clear();
        known.putAll(present);
        limited.retainAll(present.values().stream().map(Known::uuid).toList());
        return guests;
    }

    private Known known(String id, String uuid, int cpus) throws IOException, InterruptedException {
        Known before = known.get(id);
        long now = nanos.getAsLong();
        if (before == null || !before.uuid().equals(uuid)) {
            GroupFiles files = new GroupFiles(host, id);
            return new Known(uuid, files, GroupKnobs.cpus(files, cpus), vcpus(files), GroupMachine.of(host, files), now, now, now);
        }
        boolean stale = before.isStale(now, limited.contains(uuid));
        return new Known(uuid, before.files(), before.cpus(), stale ? vcpus(before.files()) : before.vcpus(),
                stale ? GroupMachine.of(host, before.files()) : before.kept(), before.first(),
                stale ? now : before.looked(), now);
    }

    private Map<Integer, Integer> vcpus(GroupFiles files) throws InterruptedException {
        try {
            return GroupThreads.vcpus(host, files);
        } catch (IOException e) {
            return Map.of();    // it is going, or its threads are in another hierarchy
        }
    }

    /** The threads that are a guest's virtual CPUs, by number, as far as they are known; none if it is gone. */
    Map<Integer, Integer> vcpus(Target target) {
        Known now = target.whose().map(guest -> known.get(guest.id())).orElse(null);
        return now == null || !now.uuid().equals(target.whose().orElseThrow().uuid()) ? Map.of() : now.vcpus();
    }

    /** Why a guest's group may have no limit of memory, as far as it is known; empty if it may, or is gone. */
    Optional<String> kept(Target target) {
        Known now = target.whose().map(guest -> known.get(guest.id())).orElse(null);
        return now == null || !now.uuid().equals(target.whose().orElseThrow().uuid()) ? Optional.empty() : now.kept();
    }

    /** Whether a limit of memory was written that is not the guest's own: a machine that starts under it has to be noticed. */
    void limit(Target.OfGuest target, boolean ours) {
        if (ours) {
            limited.add(target.uuid());
        } else {
            limited.remove(target.uuid());
        }
    }

    /** It was found to hold a machine since it was looked at last. */
    void keep(Target.OfGuest target, String why) {
        known.computeIfPresent(target.id(), (id, now) -> now.uuid().equals(target.uuid()) ? new Known(now.uuid(), now.files(), now.cpus(),
                now.vcpus(), Optional.of(why), now.first(), now.looked(), now.seen()) : now);
    }

    /** Which group an id names now; empty if none. */
    Optional<String> identity(String id) throws InterruptedException {
        if (directory.isEmpty()) {
            directory = directory().orElse("");
        }
        try {
            return directory.isEmpty() ? Optional.empty()
                    : Optional.of("cgroup-" + host.inode(directory + id.substring(parent.length())));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** systemd writes what it cannot have in a name as {@code \x2d}. */
    private static String plain(String name) {
        return ESCAPED.matcher(name).replaceAll(match ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 16))));
    }

    /** The files of a guest that {@link #guests} has just given. */
    GroupFiles files(Guest guest) {
        return known.get(guest.id()).files();
    }

    /**
     * The files of a guest that was given some time ago.
     *
     * @throws IOException when it is gone, or another has its name
     */
    GroupFiles files(Target.OfGuest target, boolean toWrite) throws IOException, InterruptedException {
        Known now = known.get(target.id());
        boolean same = now != null && now.uuid().equals(target.uuid());
        if (same && !toWrite && nanos.getAsLong() - now.seen() < TRUSTED_NANOS) {
            return now.files();
        }
        if (same) {
            now.files().keepNothing();
        }
        require(target);
        return same ? now.files() : new GroupFiles(host, target.id());
    }

    /** @throws IOException when a guest is gone, or another has its name */
    void require(Target.OfGuest target) throws IOException, InterruptedException {
        String uuid = identity(target.id()).orElseThrow(() -> new IOException("control group " + target.id() + " is gone"));
        if (!uuid.equals(target.uuid())) {
            throw new IOException("control group " + target.id() + " is another than the one that is meant: it was made again");
        }
    }
}
