// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A folder that appears in one step: everything goes to a sibling whose name begins with a point, and {@link #commit} writes the
 * manifest there and renames it. A process killed before that leaves the sibling: it is not read, and may be removed. On a file system
 * whose rename is not one step (an object store) a folder without its manifest is not finished.
 */
public final class AtomicOutput implements AutoCloseable {
    private static final String BEGUN = ".ic2-fleet-";

    private final FileSystem files;
    private final Path target;
    private final Path begun;
    /** True if the folder around it is new, too. */
    private final boolean alone;
    private boolean committed;

    private AtomicOutput(FileSystem files, Path target, Path begun, boolean alone) {
        this.alone = alone;
        this.files = files;
        this.target = target;
        this.begun = begun;
    }

    /**
     * Begins a folder.
     *
     * @throws FleetException if something has that name already: nothing is ever overwritten
     */
    public static AtomicOutput into(Configuration hadoop, String folder) throws IOException {
        Path given = new Path(folder);
        FileSystem files = given.getFileSystem(hadoop);
        Path target = files.makeQualified(given);
        if (target.getParent() == null) {
            throw new FleetException(folder + ": expected a folder that is to be made, got the root");
        }
        requireNew(files, target);
        boolean alone = !files.exists(target.getParent());
        files.mkdirs(target.getParent());
        Path begun = new Path(target.getParent(), BEGUN + target.getName() + "-" + UUID.randomUUID());
        files.mkdirs(begun);
        return new AtomicOutput(files, target, begun, alone);
    }

    private static void requireNew(FileSystem files, Path target) throws IOException {
        if (files.exists(target)) {
            throw new FleetException(target + ": is there already; name another folder, or remove it");
        }
    }

    /** Where to write until then. */
    public Path folder() {
        return begun;
    }

    /** The same below it, as a text for Spark. */
    public String below(String name) {
        return new Path(begun, name).toString();
    }

    /** The file system of both. */
    public FileSystem files() {
        return files;
    }

    /** Lets it appear. */
    public void commit(Manifest manifest) throws IOException {
        manifest.write(files, begun);
        requireNew(files, target);
        if (!files.rename(begun, target)) {
            throw new FleetException(target + ": cannot be renamed from " + begun);
        }
        committed = true;
    }

    /** Removes what was not committed, once no task can write there any more. */
    @Override
    public void close() throws IOException {
        if (committed) {
            return;
        }
        Sessions.awaitTasks();
        files.delete(begun, true);
        if (alone && files.listStatus(target.getParent()).length == 0) {
            files.delete(target.getParent(), false);
        }
    }

    /** Writes a file. */
    public void put(String name, String text) throws IOException {
        try (OutputStream file = files().create(new Path(folder(), name), false)) {
            file.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
