// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The root helper's socket as systemd has it: a process of the helper for each connection. */
public final class HelperSocket implements AutoCloseable {

    private static final Path HELPER = Path.of("../packaging/ic2-reconfigure").toAbsolutePath();

    private final Path directory;
    private final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);

    /**
     * @param directory of its own
     * @param apachectl httpd's command
     */
    public HelperSocket(Path directory, Path apachectl) throws IOException {
        this.directory = directory;
        Files.writeString(directory.resolve("conf"), "APACHECTL=" + apachectl + "\nVARIABLES=\"MITIGATION\"\n");
        server.bind(UnixDomainSocketAddress.of(path()));
        background(this::serve);
    }

    public Path path() {
        return directory.resolve("helper.sock");
    }

    private static void background(Runnable task) {
        Thread thread = new Thread(task, "helper");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                background(() -> help(client));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void help(SocketChannel client) {
        ProcessBuilder builder = new ProcessBuilder(HELPER.toString()).redirectErrorStream(true);
        builder.environment().put("IC2_RECONFIGURE_CONF", directory.resolve("conf").toString());
        builder.environment().put("IC2_RECONFIGURE_ORDERS", directory.resolve("orders").toString());
        try (client; InputStream in = Channels.newInputStream(client); OutputStream out = Channels.newOutputStream(client)) {
            Process helper = builder.start();
            in.transferTo(helper.getOutputStream());
            helper.getOutputStream().close();
            helper.getInputStream().transferTo(out);
            helper.waitFor();
        } catch (IOException e) {
            // whoever asked is gone; the helper goes on
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
