// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;

/** The machine to set up: files below a root, and commands that are run there. Paths are those of the machine. */
public final class TargetSystem {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int MOST_NAMES = 1000;
    private static final int PROC_BYTES = 100;

    private final Path root;
    private final Host host;

    /**
     * @param root / or the directory of a chroot
     * @param host this machine, for commands
     */
    public TargetSystem(Path root, Host host) {
        this.root = root;
        this.host = host;
    }

    Path at(String path) {
        return root.resolve(path.replaceFirst("^/+", ""));
    }

    Host host() {
        return host;
    }

    boolean has(String path) {
        return Files.exists(at(path)) || Files.isSymbolicLink(at(path));
    }

    boolean runs(String command) {
        return Files.isExecutable(at(command));
    }

    String read(String path) throws IOException {
        return BoundedText.file(at(path), BoundedText.FILE_BYTES, StandardCharsets.UTF_8);
    }

    /** The text of a file; nothing where there is none that can be read. */
    String readOrNothing(String path) {
        try {
            return BoundedText.file(at(path), BoundedText.FILE_BYTES, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** The names in a directory, sorted; none where it cannot be read. */
    List<String> list(String directory) {
        List<String> names = new ArrayList<>();
        try (Stream<Path> entries = Files.list(at(directory))) {
            entries.limit(MOST_NAMES).forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    /** Puts a new file there, whole or not at all; it must not be there yet. */
    void create(String path, String text) throws IOException {
        if (has(path)) {
            throw new IOException(path + " is there already");
        }
        write(path, text);
    }

    /** The same, in the place of one that may be there. */
    void write(String path, String text) throws IOException {
        Path target = at(path);
        Path fresh = target.resolveSibling(target.getFileName() + ".ic2-new");
        try {
            Files.createDirectories(target.getParent());
            Files.deleteIfExists(fresh);
            Files.writeString(fresh, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SYNC,
                    LinkOption.NOFOLLOW_LINKS);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            try {
                Files.deleteIfExists(fresh);
            } catch (IOException gone) {
                e.addSuppressed(gone);
            }
            throw new IOException("cannot write " + path + ": " + reason(target, e), e);
        }
    }

    private static String reason(Path target, IOException error) {
        try {
            FileStore store = Files.getFileStore(target.getParent());
            return error + (store.getUsableSpace() == 0 ? "; the disk is full" : "");
        } catch (IOException e) {
            return error.toString();
        }
    }

    /** The number of a process that lives, which stands in a file. */
    Optional<String> process(String pidFile) throws InterruptedException {
        String number = pidFile.isEmpty() ? "" : readOrNothing(pidFile).strip();
        try {
            return number.matches("[1-9]\\d{0,9}") && host.head("/proc/" + number + "/stat", PROC_BYTES).startsWith(number + " ")
                    ? Optional.of(number) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    void delete(String path) throws IOException {
        Files.deleteIfExists(at(path));
    }

    /** True if it is a file of ours and nobody else could have put it there. */
    boolean ours(String path) throws IOException {
        return Files.isRegularFile(at(path), LinkOption.NOFOLLOW_LINKS)
                && Files.getAttribute(at(path), "unix:uid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /** Runs a command there to its end, whatever its status. */
    CommandResult run(List<String> command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>();
        if (!root.equals(Path.of("/"))) {
            words.addAll(List.of("/usr/sbin/chroot", root.toString()));
        }
        words.addAll(command);
        return host.run(words, DEADLINE);
    }

    /**
     * The same, and it must succeed.
     *
     * @throws IOException with what it said
     */
    String succeed(List<String> command) throws IOException, InterruptedException {
        CommandResult result = run(command);
        if (!result.succeeded()) {
            throw new IOException(String.join(" ", command) + " failed with status " + result.exitStatus() + ": "
                    + BoundedText.brief(result.all()));
        }
        return result.all();
    }

    /** Runs a command of the package's as the agent's user, with its rights; empty where there is none of both. */
    public Optional<CommandResult> asAgent(List<String> command) throws IOException, InterruptedException {
        if (!runs(command.get(0)) || !readOrNothing("/etc/passwd").lines().anyMatch(line -> line.startsWith("ic2:"))) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>(List.of("/usr/sbin/runuser", "-u", "ic2", "--"));
        words.addAll(command);
        return Optional.of(run(words));
    }
}
