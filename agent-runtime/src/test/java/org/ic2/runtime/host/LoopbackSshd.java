// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.ic2.runtime.testing.FreePort;

/** A real sshd on loopback with keys of its own, made when the test runs. */
public final class LoopbackSshd {

    private static final String SSHD = "/usr/sbin/sshd";

    private final Path directory;
    private final int port;
    private Process process;

    public LoopbackSshd(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        port = FreePort.any();
        key("host");
        key("client");
        key("stranger");
        Files.copy(directory.resolve("client.pub"), directory.resolve("authorized"));
        Files.writeString(directory.resolve("known"), known("host"));
        Files.writeString(directory.resolve("wrong"), known("stranger"));
        Files.writeString(directory.resolve("sshd_config"), """
                Port %d
                ListenAddress 127.0.0.1
                HostKey %s
                AuthorizedKeysFile %s
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                MaxSessions 20
                AllowStreamLocalForwarding yes
                """.formatted(port, directory.resolve("host"), directory.resolve("authorized")));
        if ("root".equals(System.getProperty("user.name"))) {
            Files.createDirectories(Path.of("/run/sshd"));
        }
        start();
    }

    public static boolean available() {
        return Files.isExecutable(Path.of(SSHD));
    }

    public void start() throws IOException, InterruptedException {
        process = new ProcessBuilder(SSHD, "-D", "-f", directory.resolve("sshd_config").toString())
                .redirectErrorStream(true).redirectOutput(directory.resolve("sshd.log").toFile()).start();
        for (int i = 0; i < 2400; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
                return;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(25);
            }
        }
        throw new IOException("sshd does not listen: " + Files.readString(directory.resolve("sshd.log")));
    }

    public SshAddress address() {
        return SshAddress.parse("ssh://" + System.getProperty("user.name") + "@127.0.0.1:" + port);
    }

    public SshOptions options(String knownHosts) {
        return new SshOptions(Optional.of(directory.resolve("client")), Optional.of(directory.resolve(knownHosts)),
                directory.resolve("c"));
    }

    /** Ends the server and every session at once, as a host that loses power. */
    public void vanish() throws InterruptedException {
        List<ProcessHandle> sessions = process.descendants().toList();
        process.destroyForcibly().waitFor();
        sessions.forEach(ProcessHandle::destroyForcibly);
    }

    /** Stops every process of the server, as a host whose network is cut. */
    public void freeze() throws IOException, InterruptedException {
        signal("-STOP");
    }

    public void thaw() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>(List.of("kill", name, Long.toString(process.pid())));
        process.descendants().forEach(child -> command.add(Long.toString(child.pid())));
        new ProcessBuilder(command).start().waitFor();
    }

    private void key(String name) throws IOException, InterruptedException {
        Process keygen = new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                directory.resolve(name).toString()).inheritIO().start();
        if (keygen.waitFor() != 0) {
            throw new IOException("ssh-keygen failed");
        }
    }

    private String known(String key) throws IOException {
        String[] words = Files.readString(directory.resolve(key + ".pub")).split(" ");
        return "[127.0.0.1]:" + port + " " + words[0] + " " + words[1].strip() + "\n";
    }

    /** Ends it, frozen or not. */
    public void stop() throws InterruptedException, IOException {
        if (process.isAlive()) {
            thaw();
        }
        vanish();
    }
}
