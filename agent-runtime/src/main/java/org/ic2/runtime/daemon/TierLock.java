// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * What an agent that acts has for itself on this machine: of two that change the same server, each would take the other's
 * changes for a person's. A lock file for each server, held until the process ends however it ends. In the service's directory
 * the files stay, and say who held them last; a user's own directory, which lies among temporary files, goes with its last
 * lock. Not thread-safe.
 */
public final class TierLock implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(TierLock.class.getName());
    private static final Path RUN = Path.of("/run/ic2/locks");
    private static final int LONGEST_NAME = 200;
    private static final String OWN = "ic2-locks-";
    /** A file is opened so often at most: another process may take it away in between. */
    private static final int TRIES = 100;
    private static final int MOST_ENDS = 32_768;

    private final Path directory;
    private final String owner;
    private final Map<String, FileChannel> held = new LinkedHashMap<>();

    /**
     * @param owner who holds it, for the one who is refused
     */
    public TierLock(Path directory, String owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /**
     * Where the agents of a machine have their locks: the service's directory, which root's agents use too; without one, a
     * user's own.
     *
     * @param environment of the process: {@code RUNTIME_DIRECTORY}, which systemd sets
     */
    public static Path directory(Map<String, String> environment) {
        String user = System.getProperty("user.name");
        String given = environment.get("RUNTIME_DIRECTORY");
        return given != null ? Path.of(given)
                : user.equals("root") ? RUN : Path.of(System.getProperty("java.io.tmpdir"), OWN + user);
    }

    /**
     * Takes what is not held yet, and gives back what is asked for no more.
     *
     * @param servers in words that are the same for whoever changes the same server
     * @throws IOException naming who has one of them; then everything is held as before
     */
    public void hold(Set<String> servers) throws IOException {
        Map<String, FileChannel> fresh = new LinkedHashMap<>();
        try {
            for (String server : servers) {
                if (!held.containsKey(server)) {
                    fresh.put(server, lock(server));
                }
            }
        } catch (IOException e) {
            close(fresh);
            throw e;
        }
        Map<String, FileChannel> superfluous = new LinkedHashMap<>(held);
        superfluous.keySet().removeAll(servers);
        held.keySet().retainAll(servers);
        held.putAll(fresh);
        close(superfluous);
    }

    /** The files that are locked, or would be. */
    public Set<Path> files() {
        return held.keySet().stream().map(server -> directory.resolve(name(server))).collect(Collectors.toSet());
    }

    /** The lock's file; null where the disk allows none: then nobody can be refused, and the agent is more than its lock. */
    private FileChannel lock(String server) throws IOException {
        Path file = directory.resolve(name(server));
        for (int left = TRIES; ; left--) {
            FileChannel opened;
            try {
                opened = open(file);
            } catch (IOException e) {
                if (left > 1 && (e instanceof NoSuchFileException || e instanceof FileAlreadyExistsException)) {
                    continue;       // another process has just taken its directory away, or made it
                }
                LOG.warning("it cannot be told whether another agent manages " + server + ": " + e);
                return null;
            }
            if (!isFree(opened)) {
                opened.close();
                throw new IOException("another agent manages " + server + ": " + heldBy(file) + " (" + file + " is locked)");
            }
            if (isThere(file, write(opened))) {
                return opened;
            }
            opened.close();
            if (left == 1) {
                throw new IOException("another agent manages " + server + ": " + heldBy(file) + " (" + file + ")");
            }
        }
    }

    /**
     * Writes who has it.
     *
     * @return the length of the file now, which tells it from another under its name: files that go with their lock get ends of
     *         lines by chance
     */
    private long write(FileChannel opened) throws IOException {
        int ends = isOwn() ? ThreadLocalRandom.current().nextInt(1, MOST_ENDS) : 1;
        byte[] text = (owner + "\n".repeat(ends)).getBytes(StandardCharsets.UTF_8);
        opened.truncate(0);
        opened.write(ByteBuffer.wrap(text));
        return text.length;
    }

    /**
     * False if the file was taken away after it was opened: what is locked then is nobody's lock. It must not be opened
     * for that: to close it once more would release the lock.
     */
    private boolean isThere(Path file, long length) throws IOException {
        try {
            return !isOwn() || Files.size(file) == length;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static String heldBy(Path file) throws IOException {
        try {
            return Files.readString(file).strip();
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** No link is followed: root opens files where the service's user may put what it likes. */
    private FileChannel open(Path file) throws IOException {
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(directory.getParent());
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        UserPrincipal owner = owner();
        try {
            Files.createFile(file);
            // within the directory root's agent and the service's use the same file
            Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).setOwner(owner);
        } catch (FileAlreadyExistsException e) {
            LOG.finest(() -> file + " is of an earlier agent");
        }
        return FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whose directory it is: ours, or, for root, the service's. */
    private UserPrincipal owner() throws IOException {
        PosixFileAttributes found = Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        String user = System.getProperty("user.name");
        if (!found.isDirectory() || !user.equals("root") && !found.owner().getName().equals(user)) {
            throw new IOException(directory + ": expected a directory of " + user + ", got "
                    + (found.isDirectory() ? "one of " + found.owner().getName() : "something else") + "; remove it");
        }
        return found.owner();
    }

    private static boolean isFree(FileChannel opened) throws IOException {
        try {
            return opened.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static String name(String server) {
        String name = URLEncoder.encode(server, StandardCharsets.UTF_8);
        return name.length() <= LONGEST_NAME ? name
                : name.substring(0, LONGEST_NAME) + Integer.toHexString(server.hashCode());
    }

    private void close(Map<String, FileChannel> locks) throws IOException {
        for (Map.Entry<String, FileChannel> lock : locks.entrySet()) {
            if (lock.getValue() != null) {
                if (isOwn()) {
                    Files.deleteIfExists(directory.resolve(name(lock.getKey())));      // while it is held
                }
                lock.getValue().close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        close(held);
        held.clear();
        if (isOwn() && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException e) {
                LOG.finest(() -> directory + " has other locks");
            }
        }
    }

    /** True for a user's own directory. */
    private boolean isOwn() {
        return directory.getFileName() != null && directory.getFileName().toString().startsWith(OWN);
    }
}
