// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/**
 * One TCP or TLS connection with a read buffer of its own. Every exchange has a deadline; no read blocks beyond it.
 * One thread uses it; any thread may close it.
 */
final class Connection implements Closeable {
    private static final int BUFFER = 8192;
    private static final int ADDRESSES = 250;

    private final Socket raw;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final boolean resumed;
    private final byte[] buffer = new byte[BUFFER];
    private int position;
    private int limit;
    private long received;
    private boolean anyByte;
    private boolean used;
    private long deadline;

    private Connection(Socket raw, Socket socket, boolean resumed) throws IOException {
        this.raw = raw;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
        this.resumed = resumed;
    }

    /**
     * Connects, and shakes hands when the endpoint speaks TLS.
     *
     * @param sessions TLS context with the user's sessions; null without TLS
     * @param visitor  number of the user: each has an address of its own where the server is on this machine's loopback
     * @throws HttpFailure when the server cannot be reached in time
     */
    static Connection open(ServerAddress to, SSLContext sessions, boolean checkName, int visitor, long deadline) throws HttpFailure {
        Socket raw = new Socket();
        try {
            raw.setTcpNoDelay(true);
            InetSocketAddress server = new InetSocketAddress(to.host(), to.port());
            if (server.getAddress() instanceof Inet4Address address && address.isLoopbackAddress()) {
                raw.bind(new InetSocketAddress(ownAddress(visitor), 0));
            }
            raw.connect(server, millisTo(deadline));
            if (sessions == null) {
                return new Connection(raw, raw, false);
            }
            raw.setSoTimeout(millisTo(deadline));
            SSLSocket tls = (SSLSocket) sessions.getSocketFactory().createSocket(raw, to.host(), to.port(), true);
            if (checkName) {
                SSLParameters parameters = tls.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                tls.setSSLParameters(parameters);
            }
            long before = System.currentTimeMillis();
            tls.startHandshake();
            SSLSession session = tls.getSession();
            return new Connection(raw, tls, session.getCreationTime() < before);
        } catch (IOException e) {
            closeQuietly(raw);
            throw new HttpFailure("connect to " + to.host() + ":" + to.port() + ": " + e.getMessage(), e);
        }
    }

    /** One of 127.1.1.1 to 127.250.250.250: nothing else on this machine has these. */
    static InetAddress ownAddress(int visitor) throws UnknownHostException {
        int number = Math.floorMod(visitor, ADDRESSES * ADDRESSES * ADDRESSES);
        return InetAddress.getByAddress(new byte[] {127, (byte) (1 + number / ADDRESSES / ADDRESSES),
            (byte) (1 + number / ADDRESSES % ADDRESSES), (byte) (1 + number % ADDRESSES)});
    }

    /** Whether TLS resumed an earlier session. */
    boolean resumed() {
        return resumed;
    }

    /** Whether an exchange was completed here before. */
    boolean used() {
        return used;
    }

    /** Bytes read since the last call. */
    long takeReceived() {
        long n = received;
        received = 0;
        return n;
    }

    /** Starts an exchange: sends the request, and forgets what is left of earlier input. */
    void send(byte[] request, long until) throws IOException {
        deadline = until;
        anyByte = false;
        try {
            out.write(request);
            out.flush();
        } catch (IOException e) {
            throw new StaleConnection("send: " + e.getMessage(), e);
        }
    }

    /** Ends an exchange. */
    void completed() {
        used = true;
    }

    /** The next byte, or -1 at the end of the stream. */
    int read() throws IOException {
        return position < limit || fill() ? buffer[position++] & 0xff : -1;
    }

    /** Up to {@code length} of the next bytes, or -1 at the end of the stream; at least one byte. */
    int read(byte[] target, int offset, int length) throws IOException {
        if (position == limit && !fill()) {
            return -1;
        }
        int n = Math.min(length, limit - position);
        System.arraycopy(buffer, position, target, offset, n);
        position += n;
        return n;
    }

    /** Drops up to {@code length} of the next bytes; returns how many, or -1 at the end of the stream. */
    long skip(long length) throws IOException {
        if (position == limit && !fill()) {
            return -1;
        }
        int n = (int) Math.min(length, limit - position);
        position += n;
        return n;
    }

    private boolean fill() throws IOException {
        int n;
        try {
            socket.setSoTimeout(millisTo(deadline));
            n = in.read(buffer, 0, BUFFER);
        } catch (SocketTimeoutException e) {
            throw new HttpFailure("no complete answer within the time limit", e);
        } catch (IOException e) {
            if (!anyByte) {
                throw new StaleConnection("receive: " + e.getMessage(), e);
            }
            throw new HttpFailure("connection broke in the middle of an answer: " + e.getMessage(), e);
        }
        if (n < 0) {
            return false;
        }
        anyByte = true;
        received += n;
        position = 0;
        limit = n;
        return true;
    }

    /**
     * Waits in the thinking user's place until the server closes or the time is over.
     *
     * @param untilNanos end of the wait; may return up to 2 ms early
     * @return false when the server closed, or sent an answer without a request: the connection cannot be used again
     */
    boolean staysOpen(long untilNanos) {
        if (position < limit) {
            return false;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime()) - 1;
        if (millis < 1) {
            return true;
        }
        try {
            socket.setSoTimeout((int) Math.min(millis, Integer.MAX_VALUE));
            in.read(buffer, 0, 1);
            return false;
        } catch (SocketTimeoutException nothingHappened) {
            return true;
        } catch (IOException closed) {
            return false;
        }
    }

    private static int millisTo(long deadline) throws SocketTimeoutException {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis < 1) {
            throw new SocketTimeoutException("time limit reached");
        }
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    /** Closes below TLS: a handshake of farewells would block on a server that is stuck. */
    @Override
    public void close() {
        closeQuietly(raw);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // a socket that cannot be closed is gone already
        }
    }
}
