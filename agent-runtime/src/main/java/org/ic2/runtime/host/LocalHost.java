// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

/** This machine. */
public final class LocalHost implements Host {

    private static final Logger LOG = Logger.getLogger(LocalHost.class.getName());
    private static final Set<StandardOpenOption> IN_PLACE = Set.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    /** Turns and not a time: what a stall of the machine takes of a time, the reader does not get. */
    private static final int OUTPUT_TURNS = 10;
    /** Where no process is left that could keep the pipe open, only our own reader is late: it has not got the CPU. */
    private static final int LATE_TURNS = 200;
    private static final int OUTPUT_TURN_MILLIS = 50;

    @Override
    public String name() {
        return "localhost";
    }

    @Override
    public String read(String path) throws IOException {
        return BoundedText.file(Path.of(path), BoundedText.FILE_BYTES, StandardCharsets.ISO_8859_1);
    }

    @Override
    public String head(String path, int bytes) throws IOException {
        return BoundedText.head(Path.of(path), bytes, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void replace(String path, String text) throws IOException {
        Path target = Path.of(path).toRealPath();
        Path fresh = target.resolveSibling(target.getFileName() + ".ic2-new");
        try {
            PosixFileAttributes old = Files.readAttributes(target, PosixFileAttributes.class);
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            keepOwner(fresh, old);
            Files.setPosixFilePermissions(fresh, old.permissions());
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw new IOException("cannot replace " + path + ": " + e, e);
        }
    }

    @Override
    public void write(String path, String text) throws IOException {
        try (SeekableByteChannel channel = FileChannel.open(Path.of(path), IN_PLACE)) {
            write(channel, text);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("cannot write " + path + ": " + words(e), e);
        }
    }

    @Override
    public void write(String directory, String name, String text, Condition condition) throws IOException, InterruptedException {
        try (DirectoryStream<Path> opened = Files.newDirectoryStream(Path.of(directory))) {
            condition.require();
            if (!(opened instanceof SecureDirectoryStream<Path> here)) {
                throw new IOException("this Java runtime cannot hold a directory open");
            }
            try (SeekableByteChannel channel = here.newByteChannel(Path.of(name), IN_PLACE)) {
                write(channel, text);
            }
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("cannot write " + directory + "/" + name + ": " + words(e), e);
        }
    }

    private static void write(SeekableByteChannel channel, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        channel.write(bytes);
        if (bytes.hasRemaining()) {
            throw new IOException("only " + bytes.position() + " of " + bytes.limit() + " bytes were taken");
        }
    }

    @Override
    public List<String> list(String directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of(directory))) {
            for (Path entry : entries) {
                names.add(entry.getFileName() + (Files.isDirectory(entry) ? "/" : ""));
            }
        } catch (DirectoryIteratorException e) {
            throw new IOException("cannot list " + directory + ": " + words(e.getCause()), e);
        } catch (IOException e) {
            throw new IOException("cannot list " + directory + ": " + words(e), e);
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public long inode(String path) throws IOException {
        try {
            return (Long) Files.getAttribute(Path.of(path), "unix:ino");
        } catch (IOException e) {
            throw new IOException("cannot look at " + path + ": " + words(e), e);
        }
    }

    /** What the system said; the message of some errors is the path alone. */
    private static String words(IOException e) {
        return e instanceof NoSuchFileException ? "no such file or directory"
                : e instanceof FileSystemException named && named.getReason() != null ? named.getReason()
                : e instanceof FileSystemException ? e.toString() : e.getMessage();
    }

    private static void keepOwner(Path fresh, PosixFileAttributes old) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
        PosixFileAttributes now = view.readAttributes();
        if (!now.owner().equals(old.owner())) {
            view.setOwner(old.owner());
        }
        if (!now.group().equals(old.group())) {
            view.setGroup(old.group());
        }
    }

    @Override
    public CommandResult run(List<String> command, Duration deadline) throws IOException, InterruptedException {
        return run(command.get(0), ProcessGroup.command(command, deadline.plusSeconds(1)), deadline, false);
    }

    /**
     * Runs a command line of {@link ProcessGroup#command}.
     *
     * @param name  of the command, for messages
     * @param input true to keep its standard input open until its end
     */
    CommandResult run(String name, List<String> command, Duration deadline, boolean input)
            throws IOException, InterruptedException {
        Process process;
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("LC_ALL", "C");   // what it says is read
            process = builder.start();
        } catch (IOException e) {
            throw new NotDoneException("cannot run " + name + ": " + e.getMessage(), e);
        }
        if (!input) {
            process.getOutputStream().close();
        }
        Collector output = new Collector(name, process.getInputStream());
        Collector errors = new Collector(name, process.getErrorStream());
        boolean ended = false;
        try {
            ended = process.waitFor(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            // Also what it left behind: it would go on while something else is tried.
            if (!ended && !new ProcessGroup(process).end()) {
                LOG.warning(name + " did not end in time and cannot be killed");
            }
        }
        if (!ended) {
            throw new IOException(name + " did not end within " + deadline.toMillis() + " ms and was killed");
        }
        awaitOutput(output, errors, new ProcessGroup(process));
        CommandResult result = new CommandResult(process.exitValue(), output.text(), errors.text(),
                output.isTruncated() || errors.isTruncated());
        if ((result.exitStatus() == NOT_FOUND || result.exitStatus() == NOT_EXECUTABLE)
                && result.errors().startsWith("timeout: ")) {
            throw new NotDoneException("cannot run " + name + ": " + result.lastLine());
        }
        return result;
    }

    /** A command may leave a child that keeps a pipe open; its exit is what counts. */
    private static void awaitOutput(Collector output, Collector errors, ProcessGroup group) throws InterruptedException {
        for (int turn = 0; (output.isReading() || errors.isReading())
                && (turn < OUTPUT_TURNS || turn < LATE_TURNS && group.isEmpty()); turn++) {
            (output.isReading() ? output : errors).await();
        }
    }

    @Override
    public LineSource follow(List<String> command) throws IOException {
        return new FollowedCommand(command.get(0), command, () -> { });
    }

    @Override
    public LineSource tail(String path) throws IOException {
        return new FileTail(Path.of(path));
    }

    @Override
    public SocketChannel connect(Endpoint endpoint) throws IOException {
        try {
            if (endpoint instanceof Endpoint.Unix unix) {
                return connectUnix(Path.of(unix.path()));
            }
            Endpoint.Tcp tcp = (Endpoint.Tcp) endpoint;
            return SocketChannel.open(new InetSocketAddress(tcp.host(), tcp.port()));
        } catch (java.nio.channels.UnresolvedAddressException e) {
            throw new IOException("cannot resolve the host name of " + endpoint, e);
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("cannot connect to " + endpoint + ": " + e.getMessage(), e);
        }
    }

    static SocketChannel connectUnix(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void close() {
        // holds nothing
    }

    /** Reads what a command says, so that a full pipe cannot block the command. */
    private static final class Collector implements Runnable {
        private final InputStream in;
        private final StringBuilder text = new StringBuilder();
        private final Thread reader;
        private boolean truncated;

        Collector(String name, InputStream in) {
            this.in = in;
            reader = new Thread(null, this, "output of " + name, 128 * 1024);
            reader.setDaemon(true);
            reader.start();
        }

        boolean isReading() {
            return reader.isAlive();
        }

        void await() throws InterruptedException {
            reader.join(OUTPUT_TURN_MILLIS);
        }

        @Override
        public void run() {
            char[] chunk = new char[4096];
            try (Reader characters = new InputStreamReader(in, StandardCharsets.UTF_8)) {   // one may come in two pieces
                for (int count = characters.read(chunk); count > 0; count = characters.read(chunk)) {
                    append(new String(chunk, 0, count));
                }
            } catch (IOException e) {
                append("(reading its output failed: " + e.getMessage() + ")");
            }
        }

        private synchronized void append(String part) {
            if (text.length() < CommandResult.OUTPUT_LIMIT) {
                text.append(part);
            } else {
                truncated = true;
            }
        }

        synchronized String text() {
            return text.toString();
        }

        synchronized boolean isTruncated() {
            return truncated;
        }
    }
}
