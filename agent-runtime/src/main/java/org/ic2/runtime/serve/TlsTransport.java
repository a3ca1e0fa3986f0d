// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.ic2.runtime.host.TlsChannel;

/** A client's connection under TLS. */
record TlsTransport(TlsChannel tls) implements Transport {
    @Override
    public SocketChannel channel() {
        return tls.channel();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return tls.read(into);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return tls.write(from);
    }

    @Override
    public ByteBuffer seal(ByteBuffer plain, ByteBuffer scratch) throws IOException {
        return tls.seal(plain, scratch);
    }

    @Override
    public void farewell() throws IOException {
        tls.farewell();
    }
}
