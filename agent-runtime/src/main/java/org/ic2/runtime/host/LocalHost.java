// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

/** This machine. */
public final class LocalHost implements Host {

    private static final Logger LOG = Logger.getLogger(LocalHost.class.getName());
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    /** Turns and not a time: what a stall of the machine takes of a time, the reader does not get. */
    private static final int OUTPUT_TURNS = 10;
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
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new NotDoneException("cannot run " + name + ": " + e.getMessage(), e);
        }
        if (!input) {
            process.getOutputStream().close();
        }
        Collector collector = new Collector(process.getInputStream());
        Thread reader = new Thread(null, collector, "output of " + name, 128 * 1024);
        reader.setDaemon(true);
        reader.start();
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
        // A command may leave a child that keeps the pipe open; its exit is what counts.
        for (int turn = 0; turn < OUTPUT_TURNS && reader.isAlive(); turn++) {
            reader.join(OUTPUT_TURN_MILLIS);
        }
        CommandResult result = new CommandResult(process.exitValue(), collector.text());
        if ((result.exitStatus() == NOT_FOUND || result.exitStatus() == NOT_EXECUTABLE)
                && result.output().startsWith("timeout: ")) {
            throw new NotDoneException("cannot run " + name + ": " + result.lastLine());
        }
        return result;
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
        } catch (java.nio.channels.ClosedByInterruptException e) {
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

    /** Reads a command's output, so that a full pipe cannot block the command. */
    private static final class Collector implements Runnable {
        private final InputStream in;
        private final StringBuilder text = new StringBuilder();

        Collector(InputStream in) {
            this.in = in;
        }

        @Override
        public void run() {
            byte[] chunk = new byte[4096];
            try (in) {
                for (int count = in.read(chunk); count > 0; count = in.read(chunk)) {
                    append(new String(chunk, 0, count, StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                append("(reading its output failed: " + e.getMessage() + ")");
            }
        }

        private synchronized void append(String part) {
            if (text.length() < CommandResult.OUTPUT_LIMIT) {
                text.append(part);
            }
        }

        synchronized String text() {
            return text.toString();
        }
    }
}
