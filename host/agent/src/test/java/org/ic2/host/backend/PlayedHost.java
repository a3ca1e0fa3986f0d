// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.host.LocalHost;

/** A host whose files are a tree of the test's, and whose commands say what was recorded. */
public final class PlayedHost implements Host {

    /** What a kernel makes of a text that is written to a file. */
    public interface Kernel {
        String taken(String path, String text) throws IOException, InterruptedException;
    }

    /** What a command says. */
    public interface Program {
        CommandResult run(List<String> command) throws IOException, InterruptedException;
    }

    private final Object writing = new Object();
    private final Path root;
    private final LocalHost local = new LocalHost();
    private final Map<String, Program> programs = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final List<String> written = java.util.Collections.synchronizedList(new ArrayList<>());
    private final List<List<String>> followed = new ArrayList<>();
    private Kernel kernel = (path, text) -> text;

    public PlayedHost(Path root) {
        this.root = root;
    }

    /** A file with a text, and the directories that it needs. */
    public void file(String path, String text) {
        try {
            Files.createDirectories(at(path).getParent());
            Files.writeString(at(path), text, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Where a path of this host is in the tree. */
    public Path at(String path) {
        return root.resolve(path.substring(1));
    }

    public void kernel(Kernel takes) {
        kernel = takes;
    }

    /** A command line, as its words with blanks between, or the command alone for all others of it, and what it says. */
    public void says(String command, String output) {
        does(command, words -> new CommandResult(0, output));
    }

    public void does(String command, Program program) {
        programs.put(command, program);
    }

    /** What followed commands print, each time one is drained. */
    public void prints(List<String> lines) {
        followed.add(lines);
    }

    /** The commands that were run, in order. */
    public List<String> asked() {
        return asked;
    }

    /** Paths and texts that were written, in order. */
    public List<String> written() {
        return written;
    }

    @Override
    public String name() {
        return "played";
    }

    @Override
    public String read(String path) throws IOException {
        synchronized (writing) {
            return local.read(at(path).toString());
        }
    }

    @Override
    public String head(String path, int bytes) throws IOException {
        synchronized (writing) {
            return local.head(at(path).toString(), bytes);
        }
    }

    @Override
    public void replace(String path, String text) {
        throw new UnsupportedOperationException(path);
    }

    @Override
    public void write(String path, String text) throws IOException, InterruptedException {
        String taken = kernel.taken(path, text);
        if (!Files.exists(at(path))) {
            throw new IOException("no such file " + path);
        }
        synchronized (writing) {    // a file of a kernel's is never half written
            Files.writeString(at(path), taken + "\n");
        }
        written.add(path + " " + text);
    }

    @Override
    public List<String> list(String directory) throws IOException, InterruptedException {
        return local.list(at(directory).toString());
    }

    @Override
    public long inode(String path) throws IOException, InterruptedException {
        return local.inode(at(path).toString());
    }

    @Override
    public CommandResult run(List<String> command, Duration deadline) throws IOException, InterruptedException {
        String line = String.join(" ", command);
        asked.add(line);
        Program program = programs.getOrDefault(line, programs.get(command.get(0)));
        if (program == null) {
            throw new AssertionError("nobody said what \"" + line + "\" prints");
        }
        return program.run(command);
    }

    @Override
    public LineSource follow(List<String> command) {
        asked.add(String.join(" ", command));
        return new LineSource() {
            @Override
            public List<String> drain(Duration patience) throws IOException {
                if (followed.isEmpty()) {
                    throw new IOException("it has ended");
                }
                return followed.remove(0);
            }

            @Override
            public void close() {
                // holds nothing
            }
        };
    }

    @Override
    public LineSource tail(String path) {
        throw new UnsupportedOperationException(path);
    }

    @Override
    public SocketChannel connect(Endpoint endpoint) throws IOException {
        return local.connect(new Endpoint.Unix(at(((Endpoint.Unix) endpoint).path()).toString()));
    }

    @Override
    public void close() {
        // holds nothing
    }
}
