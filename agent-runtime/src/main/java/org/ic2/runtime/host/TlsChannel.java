// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** A connection under TLS. It reads no faster than it is asked to, and keeps no more of what came than one record. */
public final class TlsChannel implements ByteChannel {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /** A handshake takes a few of them. */
    private static final int MOST_STEPS = 200;

    private final SocketChannel channel;
    private final SSLEngine engine;
    private ByteBuffer came;
    private ByteBuffer plain;
    private ByteBuffer leaves;

    /** Shakes hands; whoever waits for it can close the channel. */
    public TlsChannel(SocketChannel channel, SSLEngine engine) throws IOException {
        this.channel = channel;
        this.engine = engine;
        int packet = engine.getSession().getPacketBufferSize();
        came = ByteBuffer.allocate(packet).flip();
        leaves = ByteBuffer.allocate(packet);
        plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
        engine.beginHandshake();
        shakeHands();
    }

    private void shakeHands() throws IOException {
        for (int step = 0; step < MOST_STEPS; step++) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                tasks();
            } else if (status == HandshakeStatus.NEED_WRAP) {
                wrap(NOTHING);
            } else if (status == HandshakeStatus.NEED_UNWRAP || status == HandshakeStatus.NEED_UNWRAP_AGAIN) {
                if (unwrap() < 0) {
                    throw new EOFException("the connection ended in the middle of a handshake");
                }
            } else {
                return;
            }
        }
        throw new SSLException("a handshake without end");
    }

    private void tasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Reads one record into {@link #plain}, which is empty; -1 at the end. */
    private int unwrap() throws IOException {
        while (true) {
            plain.clear();
            SSLEngineResult result;
            try {
                result = engine.unwrap(came, plain);
            } catch (SSLException e) {
                sayWhy();
                throw e;
            } finally {
                plain.flip();
            }
            switch (result.getStatus()) {
                case OK -> {
                    return plain.remaining();
                }
                case BUFFER_UNDERFLOW -> {
                    came.compact();
                    if (!came.hasRemaining()) {
                        throw new SSLException("a record that is too long");
                    }
                    int count = channel.read(came);
                    came.flip();
                    if (count < 0) {
                        return -1;
                    }
                }
                case CLOSED -> {
                    return -1;
                }
                default -> throw new SSLException("a record that is too long");
            }
        }
    }

    /** The alert that says to the other side what was wrong. */
    private void sayWhy() throws IOException {
        while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            if (wrap(NOTHING).getStatus() != SSLEngineResult.Status.OK) {
                return;
            }
        }
    }

    private SSLEngineResult wrap(ByteBuffer from) throws IOException {
        leaves.clear();
        SSLEngineResult result = engine.wrap(from, leaves);
        leaves.flip();
        while (leaves.hasRemaining()) {
            channel.write(leaves);
        }
        return result;
    }

    /** Below it. */
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        for (int step = 0; !plain.hasRemaining(); step++) {
            if (step > MOST_STEPS) {
                throw new SSLException("records without end that have nothing in them");
            }
            if (unwrap() < 0) {
                return -1;
            }
            if (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING && !plain.hasRemaining()) {
                shakeHands();       // such as new keys, which the other side may ask for at any time
            }
        }
        int count = Math.min(into.remaining(), plain.remaining());
        into.put(plain.slice().limit(count));
        plain.position(plain.position() + count);
        return count;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int count = from.remaining();
        while (from.hasRemaining()) {
            if (wrap(from).getStatus() != SSLEngineResult.Status.OK) {
                throw new SSLException("the connection was closed");
            }
        }
        return count;
    }

    /**
     * The records for these bytes, for who sends them himself. Afterwards nobody reads any more.
     *
     * @param scratch as long as the longest record
     */
    public ByteBuffer seal(ByteBuffer from, ByteBuffer scratch) throws IOException {
        came = NOTHING;         // a stream only writes, and there may be many
        plain = NOTHING;
        leaves = NOTHING;
        ByteArrayOutputStream sealed = new ByteArrayOutputStream(from.remaining() + 256);
        while (from.hasRemaining()) {
            scratch.clear();
            if (engine.wrap(from, scratch).getStatus() != SSLEngineResult.Status.OK) {
                throw new SSLException("the connection was closed");
            }
            sealed.write(scratch.array(), 0, scratch.position());
        }
        return ByteBuffer.wrap(sealed.toByteArray());
    }

    /** Says that nothing more comes. */
    public void farewell() throws IOException {
        engine.closeOutbound();
        sayWhy();
    }
}
