// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** First records that are none, of clients that stay: nothing but a refusal ends the wait for the rest of them. */
@Timeout(60)
class TlsChannelTest {

    private static void greet(int length, int sent) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(server.getLocalAddress()); SocketChannel accepted = server.accept()) {
            ByteBuffer record = ByteBuffer.allocate(sent).put(new byte[] {0x16, 3, 3}).putShort((short) length).clear();
            while (record.hasRemaining()) {
                client.write(record);
            }
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(false);
            new TlsChannel(accepted, engine);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16_705, 0x6000, 33_088})
    void aRecordThatIsLongerThanAnyOfTlsIsNotWaitedFor(int length) {
        assertThatThrownBy(() -> greet(length, 20_000)).isInstanceOf(SSLException.class).hasMessage("a record that is too long");
    }

    @Test
    void oneThatJsseItselfRefusesEndsAsSoon() {
        assertThatThrownBy(() -> greet(0xffff, 20_000)).isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> greet(100, 20_000)).isInstanceOf(SSLException.class);
    }
}
