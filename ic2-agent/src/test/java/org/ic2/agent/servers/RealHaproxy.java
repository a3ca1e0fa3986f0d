// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.runtime.testing.FreePort;
import org.ic2.runtime.testing.Waiting;

/** The distribution's HAProxy with a backend web, its stats socket and its stats page. */
public final class RealHaproxy implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/haproxy");

    private final Path directory;
    private final Process process;
    private final int page;
    private final String scheme;

    /** @param servers lines of the backend web */
    public RealHaproxy(String... servers) throws Exception {
        this(Optional.empty(), "", servers);
    }

    /**
     * Whose stats page is not for everybody.
     *
     * @param pem     the page's certificate and key; empty: no TLS
     * @param login   USER:PASSWORD; "" for none
     * @param servers lines of the backend web
     */
    public RealHaproxy(Optional<Path> pem, String login, String... servers) throws Exception {
        directory = Files.createTempDirectory(Path.of("/tmp"), "ic2-");     // a socket's path has few characters
        Path file = directory.resolve("haproxy.cfg");
        page = FreePort.any();
        scheme = pem.isPresent() ? "https" : "http";
        String auth = login.isEmpty() ? "" : "  stats auth " + login + "\n";
        Files.writeString(file, "global\n  stats socket " + socket() + " mode 600 level admin\ndefaults\n  mode http\n  timeout connect 1s\n"
                + "  timeout client 5s\n  timeout server 5s\nlisten statistics\n  bind 127.0.0.1:" + page
                + pem.map(both -> " ssl crt " + both).orElse("") + "\n  stats enable\n  stats uri /stats\n" + auth
                + "backend web\n  " + String.join("\n  ", servers) + "\n");
        process = new ProcessBuilder(PROGRAM.toString(), "-db", "-f", file.toString()).redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile()).start();
        Waiting.until("HAProxy answers", () -> process.isAlive() && command("show version").startsWith("2"));
    }

    public static boolean isThere() {
        return Files.isExecutable(PROGRAM);
    }

    public Path socket() {
        return directory.resolve("h.sock");
    }

    /** The address of the stats page as CSV. */
    public String url() {
        return scheme + "://127.0.0.1:" + page + "/stats;csv";
    }

    /** What HAProxy answers to a person; empty while it does not. */
    public String command(String text) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            channel.write(ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(100_000);
            while (channel.read(answer) >= 0) {
                // to its end
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
