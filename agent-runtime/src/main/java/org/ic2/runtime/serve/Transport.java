// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;

/** A client's connection as it is spoken to. Who reads and writes it may wait; who only seals what is to be sent does not. */
interface Transport extends ByteChannel {

    /** The longest record of TLS. */
    int RECORD = 17 * 1024;

    /** Below it. */
    SocketChannel channel();

    /**
     * The bytes that go through the channel below for these; these themselves in the clear. Afterwards nobody reads any more.
     *
     * @param scratch of {@link #RECORD} bytes
     */
    ByteBuffer seal(ByteBuffer plain, ByteBuffer scratch) throws IOException;

    /** Says that nothing more comes, where the channel's end does not say so. */
    void farewell() throws IOException;

    @Override
    default boolean isOpen() {
        return channel().isOpen();
    }

    @Override
    default void close() throws IOException {
        channel().close();
    }

    /** A connection in the clear. */
    record Plain(SocketChannel channel) implements Transport {
        @Override
        public int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            return channel.write(from);
        }

        @Override
        public ByteBuffer seal(ByteBuffer plain, ByteBuffer scratch) {
            return plain;
        }

        @Override
        public void farewell() {
            // its end is one
        }
    }
}
