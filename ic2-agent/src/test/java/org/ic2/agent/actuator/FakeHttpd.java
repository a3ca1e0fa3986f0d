// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stand-in for httpd-online: a status page and an {@code apachectl} script that share a file of running values, and
 * files by which a test makes the script hang ({@code hold}, until it is gone; {@code slow} with a pattern, before it does
 * anything that matches) or refuse ({@code refuse}), or the page say how many workers are held ({@code held}).
 */
public final class FakeHttpd implements AutoCloseable {

    private final Path directory;
    private final HttpServer server;
    private final AtomicInteger accesses = new AtomicInteger(1000);
    private volatile boolean hung;
    private volatile int millis = 20;
    private long duration = 20_000;

    public FakeHttpd(Path directory) throws IOException {
        this.directory = directory;
        Files.writeString(directory.resolve("running"), "MaxRequestWorkers=650 KeepAliveTimeout=5000ms MITIGATION=0\n");
        Path script = directory.resolve("apachectl");
        Files.writeString(script, """
                #!/bin/sh
                cd %s || exit 1
                [ "$1" = -k ] && shift
                [ "$1" = reconfigure ] || { echo "unknown command $1"; exit 1; }
                shift
                [ -f refuse ] && { echo "reconfigure: refused for the test"; exit 1; }
                touch begun
                # in a process of its own, as apachectl starts httpd
                [ -f slow ] && case "$*" in *$(cat slow)*) sh -c 'while [ -f slow ]; do sleep 0.05; done; :' ;; esac
                values=$(cat running)
                for assignment in "$@"; do
                    values=$(echo "$values" | sed "s/${assignment%%%%=*}=[^ ]*/$assignment/")
                done
                echo "$values" >running.new && mv running.new running
                while [ -f hold ]; do sleep 0.05; done
                exit 0
                """.formatted(directory));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(java.util.concurrent.Executors.newCachedThreadPool());
        server.createContext("/server-status", exchange -> {
            while (hung) {
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
            }
            byte[] page = page().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
    }

    private synchronized String page() throws IOException {
        String[] values = running().split("[ =]");
        int total = accesses.addAndGet(51);
        duration += 51L * millis;
        return "ServerUptimeSeconds: 100\nTotal Accesses: " + total + "\nTotal Duration: " + duration
                + "\nBusyWorkers: 10\nIdleWorkers: 640\nMaxRequestWorkers: " + values[1] + "\nKeepAliveTimeoutMs: "
                + values[3].replace("ms", "") + "\nReconfigureVariable: MITIGATION=" + values[5]
                + (Files.exists(file("held")) ? "\nHeldWorkers: " + Files.readString(file("held")) : "")
                + "\nReconfigurations: 0\nReconfigurePending: 0\nScoreboard: KKKKW____\n";
    }

    public String running() throws IOException {
        return Files.readString(directory.resolve("running")).strip();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/server-status?auto";
    }

    public Path apachectl() {
        return directory.resolve("apachectl");
    }

    /** Makes or removes one of the files that change the script's manner. */
    public void set(String file, String content) throws IOException {
        Path path = directory.resolve(file);
        if (content == null) {
            Files.deleteIfExists(path);
        } else {
            Files.writeString(path, content);
        }
    }

    public Path file(String name) {
        return directory.resolve(name);
    }

    /** How long a request takes from now on. */
    public void requestsTake(int milliseconds) {
        millis = milliseconds;
    }

    /** The status page stops answering, or answers again. */
    public void hang(boolean on) {
        hung = on;
    }

    @Override
    public void close() {
        hung = false;
        server.stop(0);
    }
}
