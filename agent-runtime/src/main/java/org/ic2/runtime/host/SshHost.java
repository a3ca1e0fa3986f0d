// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A machine behind the system's OpenSSH client. All channels share one connection; small reads share one remote
 * shell; sockets over there are reached through forwarded Unix sockets. After a lost connection the next call
 * connects anew, at most every two seconds.
 */
public final class SshHost implements Host {

    /** A small read that takes longer is of no use to a sensor. */
    private static final Duration READ_DEADLINE = Duration.ofSeconds(2);

    /** Writes $2 beside $1 with the owner and mode of $1, then puts it in its place. */
    private static final String REPLACE = "set -e; f=$(readlink -f -- \"$1\"); umask 077; printf %s \"$2\" >\"$f.ic2-new\";"
            + " sync \"$f.ic2-new\"; chown --reference=\"$f\" \"$f.ic2-new\"; chmod --reference=\"$f\" \"$f.ic2-new\";"
            + " mv -f -- \"$f.ic2-new\" \"$f\"";

    /** Writes $2 over what $1 holds; the shell alone would make a file that is not there. */
    private static final String WRITE = "[ -e \"$1\" ] || { echo no such file or directory >&2; exit 1; };"
            + " printf %s \"$2\" >\"$1\"";

    /** Runs the command and ends its whole group when the input ends: with the ssh client over here ends the command there. */
    private static final String UNTIL_INPUT_ENDS = "LC_ALL=C; export LC_ALL; exec 3<&0 </dev/null;"
            + " { cat <&3; kill -s KILL 0; } >/dev/null 2>&1 & w=$!;"
            + " \"$@\" 3<&-; s=$?; kill $w; exit $s";

    private static final Duration REPLACE_DEADLINE = Duration.ofSeconds(5);
    private static final Duration FORWARD_DEADLINE = Duration.ofSeconds(5);

    private final SshAddress address;
    private final SshOptions options;
    private final SshConnection connection;
    private final LocalHost local = new LocalHost();
    private final Map<Endpoint, Path> forwards = new HashMap<>();
    private RemoteShell shell;
    private int shellGeneration;
    private int forwardGeneration;

    public SshHost(SshAddress address, SshOptions options) {
        this.address = address;
        this.options = options;
        this.connection = new SshConnection(address, options);
    }

    @Override
    public String name() {
        return address.toString();
    }

    @Override
    public String read(String path) throws IOException, InterruptedException {
        return ask("cat " + SshConnection.quote(List.of(path)), path);
    }

    @Override
    public String head(String path, int bytes) throws IOException, InterruptedException {
        return ask("head -c " + bytes + " " + SshConnection.quote(List.of(path)), path);
    }

    private synchronized String ask(String line, String path) throws IOException, InterruptedException {
        int generation = connection.ensure();
        if (shell == null || !shell.isAlive() || shellGeneration != generation) {
            shell = new RemoteShell(connection.channel(List.of("sh")));
            shellGeneration = generation;
        }
        try {
            CommandResult result = shell.ask(line, READ_DEADLINE);
            if (!result.succeeded()) {
                throw new IOException(result.lastLine());
            }
            return result.output();
        } catch (IOException e) {
            throw new IOException("cannot read " + path + " on " + address + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void replace(String path, String text) throws IOException, InterruptedException {
        CommandResult result = run(List.of("sh", "-c", REPLACE, "sh", path, text), REPLACE_DEADLINE);
        if (!result.succeeded()) {
            throw new IOException("cannot replace " + path + " on " + address + ": " + result.lastLine());
        }
    }

    @Override
    public void write(String path, String text) throws IOException, InterruptedException {
        CommandResult result = run(List.of("sh", "-c", WRITE, "sh", path, text), REPLACE_DEADLINE);
        if (!result.succeeded()) {
            throw new IOException("cannot write " + path + " on " + address + ": " + result.lastLine());
        }
    }

    @Override
    public List<String> list(String directory) throws IOException, InterruptedException {
        return ask("LC_ALL=C ls -1Ap -- " + SshConnection.quote(List.of(directory)), directory).lines().sorted().toList();
    }

    @Override
    public long inode(String path) throws IOException, InterruptedException {
        String said = ask("stat -L -c %i -- " + SshConnection.quote(List.of(path)), path).strip();
        if (!said.matches("\\d{1,18}")) {
            throw new IOException("cannot look at " + path + " on " + address + ": expected a number, got \""
                    + BoundedText.brief(said) + "\"");
        }
        return Long.parseLong(said);
    }

    @Override
    public CommandResult run(List<String> command, Duration deadline) throws IOException, InterruptedException {
        connection.ensure();
        List<String> words = new ArrayList<>(List.of("sh", "-c", UNTIL_INPUT_ENDS, "sh"));
        words.addAll(command);
        Duration longest = deadline.plusSeconds(1);
        return local.run(command.get(0) + " on " + address,
                ProcessGroup.command(connection.channel(ProcessGroup.command(words, longest)), longest), deadline, true);
    }

    @Override
    public LineSource follow(List<String> command) {
        List<String> remote = new ArrayList<>(List.of("env", "LC_ALL=C", "S_TIME_FORMAT=ISO"));
        remote.addAll(command);
        return new FollowedCommand(command.get(0) + " on " + address, connection.channel(remote), connection::ensure);
    }

    @Override
    public LineSource tail(String path) {
        return follow(List.of("tail", "-F", "-n", "0", "--", path));
    }

    @Override
    public SocketChannel connect(Endpoint endpoint) throws IOException, InterruptedException {
        Path socket = forwarded(endpoint);
        try {
            return LocalHost.connectUnix(socket);
        } catch (java.nio.channels.ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("cannot connect to " + endpoint + " on " + address + ": " + e.getMessage(), e);
        }
    }

    private synchronized Path forwarded(Endpoint endpoint) throws IOException, InterruptedException {
        int generation = connection.ensure();
        if (generation != forwardGeneration) {
            forwards.clear();
            forwardGeneration = generation;
        }
        Path known = forwards.get(endpoint);
        if (known != null) {
            return known;
        }
        Path socket = options.controlDir().resolve(
                Integer.toHexString(address.toString().hashCode()) + "-" + forwards.size() + ".fwd");
        CommandResult result = local.run(connection.forward(socket, endpoint), FORWARD_DEADLINE);
        if (!result.succeeded()) {
            throw new IOException("cannot forward to " + endpoint + " on " + address + ": " + result.lastLine());
        }
        forwards.put(endpoint, socket);
        return socket;
    }

    @Override
    public synchronized void close() {
        if (shell != null) {
            shell.close();
        }
        connection.close();
        forwards.values().forEach(socket -> socket.toFile().delete());
    }
}
