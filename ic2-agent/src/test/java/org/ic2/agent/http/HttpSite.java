// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.ic2.agent.servers.AgentProcess;

/** A daemon of its own with some way of listening, and those who speak to it as they like. */
final class HttpSite implements AutoCloseable {

    static final String TOKEN = "a long secret of the test";
    private static final int PATIENCE_MILLIS = 60_000;

    private final AgentProcess agent;
    private final boolean tls;

    /**
     * Starts it.
     *
     * @param http what stands behind the key, with DIR for the directory
     */
    HttpSite(Path directory, String http) throws Exception {
        tls = http.contains("tls:");
        Files.writeString(directory.resolve("token"), TOKEN + "\n");
        Files.setPosixFilePermissions(directory.resolve("token"), PosixFilePermissions.fromString("rw-r-----"));
        Path config = directory.resolve("ic2.yaml");
        Files.writeString(config, """
                application: shop
                interval: 200ms
                mode: observe
                members:
                  web: {role: web, sensors: {load: {type: load-average}}}
                baseline: {max-request-workers: 650, keep-alive-timeout: 5s, mitigation: 0}
                bounds: {max-request-workers: [300, 650], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
                journal: %s
                http: %s
                """.formatted(directory.resolve("journal.jsonl"), http.replace("DIR", directory.toString())));
        agent = new AgentProcess(config, directory.resolve("journal.jsonl"));
        agent.start();
    }

    AgentProcess agent() {
        return agent;
    }

    boolean isTls() {
        return tls;
    }

    /** A connection in the clear, whatever is expected. */
    Socket raw() throws Exception {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), agent.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    /** A connection as it is expected. */
    Socket connect() throws Exception {
        Socket socket = raw();
        if (!tls) {
            return socket;
        }
        SSLSocket secure = (SSLSocket) trusting().getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
        secure.startHandshake();
        return secure;
    }

    /** Takes every certificate: whose it is, is not what is tried here. */
    static SSLContext trusting() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {
                // whoever it is
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {
                // whoever it is
            }

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        }}, null);
        return context;
    }

    /** The whole answer to a request as it is; empty when the connection ends without one. */
    String ask(String request) throws Exception {
        Socket opened = connect();
        try (Socket socket = opened) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException e) {
            return "";
        }
    }

    /** The status of the answer to a request with these headers, each with its line's end. */
    int code(String line, String... headers) throws Exception {
        String answer = ask(line + " HTTP/1.1\r\n" + String.join("\r\n", headers) + (headers.length > 0 ? "\r\n\r\n" : "\r\n"));
        return answer.isEmpty() ? 0 : Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
    }

    @Override
    public void close() {
        agent.close();
    }

    /** False when the other side has ended a connection. */
    static boolean isOpen(Socket socket) throws IOException {
        int patience = socket.getSoTimeout();
        socket.setSoTimeout(1);
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (SocketException e) {
            return false;
        } finally {
            socket.setSoTimeout(patience);
        }
    }

    /** Waits until the other side ends a connection, by a last word or none. */
    static void awaitEnd(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            return;     // it was reset
        }
    }
}
