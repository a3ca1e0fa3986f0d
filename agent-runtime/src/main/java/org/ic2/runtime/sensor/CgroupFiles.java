// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.runtime.host.Host;

/**
 * Finds the files of a control group by its name, on machines with version 2 only, version 1 only, or both: version 2
 * at {@code /sys/fs/cgroup} or {@code /sys/fs/cgroup/unified}, version 1 at {@code /sys/fs/cgroup/CONTROLLER}.
 */
public final class CgroupFiles {

    public static final String ROOT = "/sys/fs/cgroup/";

    private static final List<String> VERSION_1 = List.of("cpu,cpuacct", "cpuacct,cpu", "cpuacct", "cpu", "cpuset",
            "memory", "blkio", "pids", "freezer", "devices", "perf_event", "systemd");

    private final Host host;
    private final String root;
    private final String path;
    private final String group;

    /**
     * @param root where control groups are mounted, ends with a slash
     * @param path the group's name ({@code web}), or its directory in any of the hierarchies
     */
    public CgroupFiles(Host host, String root, String path) {
        this.host = host;
        this.root = root;
        this.path = path;
        this.group = nameOf(root, path);
    }

    private static String nameOf(String root, String path) {
        String name = path.startsWith(root) ? path.substring(root.length()) : path;
        int slash = name.indexOf('/');
        String first = slash > 0 ? name.substring(0, slash) : name;
        // a hierarchy by itself is its first group, which is a container's own
        if (path.startsWith(root) && (first.equals("unified") || VERSION_1.contains(first))) {
            name = name.substring(first.length());
        }
        while (name.startsWith("/")) {
            name = name.substring(1);
        }
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }

    public String group() {
        return group;
    }

    /** The path of a version 2 file, when the group has it. */
    public Optional<String> version2(String file) throws InterruptedException {
        List<String> paths = new ArrayList<>();
        if (path.startsWith("/")) {
            // version 2 may be mounted anywhere
            paths.add(path + "/" + file);
        }
        paths.add(root + within(file));
        paths.add(root + "unified/" + within(file));
        return firstReadable(paths);
    }

    /** The path of a version 1 file of the first of these controllers that has it. */
    public Optional<String> version1(String file, String... controllers) throws InterruptedException {
        return firstReadable(java.util.Arrays.stream(controllers)
                .map(controller -> root + controller + "/" + within(file)).toList());
    }

    private String within(String file) {
        return group.isEmpty() ? file : group + "/" + file;
    }

    private Optional<String> firstReadable(List<String> paths) throws InterruptedException {
        for (String path : paths) {
            try {
                host.head(path, 1);
                return Optional.of(path);
            } catch (IOException e) {
                continue;
            }
        }
        return Optional.empty();
    }
}
