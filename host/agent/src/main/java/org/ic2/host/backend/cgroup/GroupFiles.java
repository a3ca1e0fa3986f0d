// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CgroupFiles;

/** Where the files of one control group are, looked for once, and what is in them. */
final class GroupFiles {
    private final Host host;
    private final CgroupFiles group;
    private final Map<GroupFile, Optional<String>> found = new EnumMap<>(GroupFile.class);
    private final Map<GroupFile, String> kept = new EnumMap<>(GroupFile.class);

    GroupFiles(Host host, String group) {
        this.host = host;
        this.group = new CgroupFiles(host, CgroupFiles.ROOT, group);
    }

    /** Whose it is. */
    Host host() {
        return host;
    }

    /** The group's name below the hierarchies. */
    String name() {
        return group.group();
    }

    /** Where a file is, if the group has it. */
    Optional<String> path(GroupFile file) throws InterruptedException {
        Optional<String> path = found.get(file);
        if (path == null) {
            path = file.in(group);
            found.put(file, path);
        }
        return path;
    }

    boolean has(GroupFile file) throws InterruptedException {
        return path(file).isPresent();
    }

    /** A file's text without its last line end. */
    String read(GroupFile file) throws IOException, InterruptedException {
        String path = path(file).orElseThrow(() -> new IOException("control group " + name() + " has no " + file.file()));
        return host.read(path).strip();
    }

    /** The same, for who reads it next with {@link #readOnce}. */
    String readAndKeep(GroupFile file) throws IOException, InterruptedException {
        String text = read(file);
        kept.put(file, text);
        return text;
    }

    /** What was just read and kept, once; else what is in the file. */
    String readOnce(GroupFile file) throws IOException, InterruptedException {
        String text = kept.remove(file);
        return text == null ? read(file) : text;
    }

    /** What was kept is too old, or is about to be another. */
    void keepNothing() {
        kept.clear();
    }

    /** The directory that holds a file, without a slash at its end. */
    Optional<String> directory(GroupFile file) throws InterruptedException {
        return path(file).map(path -> path.substring(0, path.lastIndexOf('/')));
    }
}
