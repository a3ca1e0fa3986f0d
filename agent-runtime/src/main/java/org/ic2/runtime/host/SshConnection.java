// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The one ssh connection to a host: an OpenSSH master process whose control socket all channels share. */
final class SshConnection implements AutoCloseable {

    private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(8);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(2);
    private static final int POLL_MILLIS = 10;

    private final SshAddress address;
    private final SshOptions options;
    private final Path socket;
    private final Path errors;
    private Process master;
    private boolean connecting;
    private boolean closed;
    private long startedNanos;
    private int generation;
    private long failedNanos;
    private String failure;

    SshConnection(SshAddress address, SshOptions options) {
        this.address = address;
        this.options = options;
        String name = Integer.toHexString(address.toString().hashCode());
        this.socket = options.controlDir().resolve(name + ".ctl");
        this.errors = options.controlDir().resolve(name + ".err");
    }

    /**
     * Connects when not connected; returns a number that changes with every new connection. A master whose socket is
     * gone serves nobody, so it is replaced. A caller that is interrupted leaves the connection under way to the next.
     */
    synchronized int ensure() throws IOException, InterruptedException {
        if (closed) {
            throw new IOException("the connection to " + address + " was closed");
        }
        if (master != null && !connecting && master.isAlive() && Files.exists(socket)) {
            return generation;
        }
        if (failure != null && System.nanoTime() - failedNanos < RETRY_PAUSE.toNanos()) {
            throw new IOException(failure);
        }
        try {
            if (!connecting) {
                start();
            }
            awaitSocket();
            connecting = false;
            failure = null;
            return generation;
        } catch (IOException e) {
            connecting = false;
            failure = e.getMessage();
            failedNanos = System.nanoTime();
            throw e;
        }
    }

    private void start() throws IOException {
        if (master != null) {
            // Not gently: it would remove the socket of the next one.
            master.destroyForcibly();
        }
        Files.createDirectories(options.controlDir());
        Files.deleteIfExists(socket);
        List<String> command = new ArrayList<>(List.of("ssh", "-M", "-N", "-S", socket.toString()));
        command.addAll(options.arguments());
        command.addAll(target());
        startedNanos = System.nanoTime();
        generation++;
        master = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start();
        connecting = true;
    }

    private void awaitSocket() throws IOException, InterruptedException {
        while (!Files.exists(socket)) {
            if (master.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                String words = new CommandResult(255, Files.readString(errors, StandardCharsets.UTF_8)).lastLine();
                throw new IOException("cannot connect to " + address + ": " + words
                        + hint(words));
            }
            if (System.nanoTime() - startedNanos > CONNECT_DEADLINE.toNanos()) {
                master.destroyForcibly();
                throw new IOException("cannot connect to " + address + ": no answer within "
                        + CONNECT_DEADLINE.toSeconds() + " s");
            }
        }
    }

    private static String hint(String words) {
        if (words.contains("Host key verification failed") || words.contains("host key is known")) {
            return " (put the host's key into known_hosts, after you have verified it)";
        }
        if (words.contains("Permission denied")) {
            return " (the agent's account needs a key without a passphrase that this host accepts)";
        }
        return "";
    }

    /** The command line of one more channel; it fails, rather than connects by itself, when the master is gone. */
    List<String> channel(List<String> remoteCommand) {
        List<String> command = new ArrayList<>(
                List.of("ssh", "-T", "-S", socket.toString(), "-o", "ProxyCommand=false"));
        command.addAll(options.arguments());
        command.addAll(target());
        command.add(quote(remoteCommand));
        return command;
    }

    /** The command line that asks the master to forward a local Unix socket to an address over there. */
    List<String> forward(Path local, Endpoint remote) {
        String destination = remote instanceof Endpoint.Tcp tcp
                ? (tcp.host().contains(":") ? "[" + tcp.host() + "]" : tcp.host()) + ":" + tcp.port()
                : remote.toString();
        List<String> command = new ArrayList<>(
                List.of("ssh", "-S", socket.toString(), "-O", "forward", "-L", local + ":" + destination));
        command.addAll(options.arguments());
        command.addAll(target());
        return command;
    }

    private List<String> target() {
        List<String> arguments = new ArrayList<>();
        address.port().ifPresent(port -> arguments.addAll(List.of("-p", port.toString())));
        address.user().ifPresent(user -> arguments.addAll(List.of("-l", user)));
        arguments.add("--");
        arguments.add(address.host());
        return arguments;
    }

    /** Joins words for the remote shell so that each arrives as one word. */
    static String quote(List<String> words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            line.append(line.isEmpty() ? "'" : " '").append(word.replace("'", "'\\''")).append('\'');
        }
        return line.toString();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (master == null) {
            return;
        }
        master.destroy();
        try {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(errors);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot remove " + socket, e);
        }
    }
}
