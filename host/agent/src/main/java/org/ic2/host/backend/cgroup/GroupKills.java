// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.ProcFiles;

/** Processes of groups that the kernel killed for want of memory, counted from one whole reading to the next. */
final class GroupKills {
    private final Host host;
    /** As of the last whole reading, by guest and directory. */
    private final Map<String, Map<String, Double>> counted = new HashMap<>();
    /** As of the reading that goes on. */
    private final Map<String, Map<String, Double>> seen = new HashMap<>();

    GroupKills(Host host) {
        this.host = host;
    }

    /** The file that counts them, if there is one. Version 2 counts those of nested groups in it, version 1 does not. */
    static Optional<GroupFile> file(GroupFiles files) throws InterruptedException {
        return files.has(GroupFile.OOM_CONTROL) ? Optional.of(GroupFile.OOM_CONTROL)
                : files.has(GroupFile.MEMORY_EVENTS) ? Optional.of(GroupFile.MEMORY_EVENTS) : Optional.empty();
    }

    /** Kills since the last whole reading; none in the first, and empty where nobody counts them. */
    OptionalDouble since(String key, GroupFiles files) throws IOException, InterruptedException {
        Optional<GroupFile> file = file(files);
        Map<String, Double> now = new HashMap<>();
        Map<String, Double> before = counted.get(key);
        if (file.isPresent()) {
            count(files.directory(file.get()).orElseThrow(), file.get(), now, before == null ? Map.of() : before,
                    file.get() == GroupFile.OOM_CONTROL ? GroupThreads.DEEPEST : 0);
        }
        if (now.isEmpty()) {
            return OptionalDouble.empty();
        }
        seen.put(key, now);
        return OptionalDouble.of(before == null ? 0 : now.entrySet().stream().mapToDouble(one ->
                Math.max(0, one.getValue() - before.getOrDefault(one.getKey(), 0.0))).sum());
    }

    private void count(String directory, GroupFile file, Map<String, Double> now, Map<String, Double> before, int depth)
            throws IOException, InterruptedException {
        ProcFiles.field(host.read(directory + "/" + file.file()), "oom_kill").ifPresent(kills -> now.put(directory, kills));
        for (String entry : depth == 0 ? List.<String>of() : host.list(directory)) {
            if (entry.endsWith("/")) {
                String nested = directory + "/" + entry.substring(0, entry.length() - 1);
                try {
                    count(nested, file, now, before, depth - 1);
                } catch (IOException e) {       // it is going; what was counted there is not counted again
                    Optional.ofNullable(before.get(nested)).ifPresent(kills -> now.put(nested, kills));
                }
            }
        }
    }

    /** The reading is whole. Who is not there any more is forgotten. */
    void done(Set<String> keys) {
        counted.putAll(seen);
        counted.keySet().retainAll(keys);
        seen.clear();
    }
}
