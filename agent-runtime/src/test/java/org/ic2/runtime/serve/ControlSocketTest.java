// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients of the control socket may do, and what they cannot. */
@Timeout(300)
class ControlSocketTest {

    private static final String STATUS = "{\"verb\":\"status\"}\n";

    private final JsonMapper mapper = new JsonMapper();
    private final List<SocketChannel> channels = new ArrayList<>();
    private ControlSocket control;
    private String state = "NI2";
    private JsonNode trends;

    @BeforeEach
    void listen(@TempDir Path directory) throws IOException {
        control = new ControlSocket(directory.resolve("control.sock"), new Commands(
                () -> { throw new IllegalStateException("no loop"); },
                () -> mapper.createObjectNode().put("state", state),
                since -> trends != null ? trends : mapper.createObjectNode().put("asked", since),
                Settings::none), SocketPermissions.OPERATORS, Duration.ofSeconds(10));
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
        control.close();
    }

    private SocketChannel send(String text) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channels.add(channel);
        channel.connect(UnixDomainSocketAddress.of(control.path()));
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        return channel;
    }

    private JsonNode answer(SocketChannel channel) throws IOException {
        return mapper.readTree(Channels.newInputStream(channel).readAllBytes());
    }

    @Test
    void whateverComesIsAnswered() throws Exception {
        assertThat(answer(send(STATUS)).at("/status/state").asText()).isEqualTo("NI2");
        for (String[] since : new String[][] {{"7", "7"}, {"\"x\"", "0"}, {"[]", "0"}, {"1e99", Long.toString(Long.MAX_VALUE)}}) {
            JsonNode told = answer(send("{\"verb\":\"trends\",\"since\":" + since[0] + "}\n"));
            assertThat(told.at("/trends/asked").asText()).as(since[0]).isEqualTo(since[1]);
            assertThat(told.at("/status/state").asText()).isEqualTo("NI2");
        }
        for (String line : List.of("{\"verb\":", "[[", "\u0000", "x".repeat(10_000))) {
            SocketChannel channel = send(line + "\n");
            assertThat(answer(channel).get("ok").asBoolean()).as(line).isFalse();
        }
        assertThat(answer(send("7\n")).get("text").asText()).contains("expected a verb");
        assertThat(answer(send("{\"verb\":\"resume\"}\n")).get("text").asText()).contains("no loop");
    }

    private JsonNode asked(String verb) throws IOException {
        return ControlSocket.ask(control.path(), mapper.createObjectNode().put("verb", verb));
    }

    @Test
    void nonAsciiAnswersAreReadUnchanged() throws Exception {
        for (String before : List.of("", "x", "xx")) {
            state = before + "€".repeat(30_000);
            assertThat(asked("status").at("/status/state").asText()).isEqualTo(state);
        }
        state = "half a pair: \ud800";
        assertThat(asked("status").at("/status/state").asText()).isEqualTo("half a pair: ?");
    }

    @Test
    void anAnswerThatFailsInTheMiddleDoesNotLookLikeAWholeOne() {
        trends = mapper.getNodeFactory().pojoNode(new JsonSerializable.Base() {
            @Override
            public void serialize(JsonGenerator out, SerializerProvider provider) throws IOException {
                out.writeStartArray();
                throw new IOException("the file of the trends broke");
            }

            @Override
            public void serializeWithType(JsonGenerator out, SerializerProvider provider, TypeSerializer type)
                    throws IOException {
                serialize(out, provider);
            }
        });
        assertThatThrownBy(() -> asked("trends")).isInstanceOf(IOException.class);
    }

    @Test
    void silentClientsAreSentAwayAndTheOthersServed() throws Exception {
        for (int i = 0; i < 16; i++) {
            send("{");
        }
        List<SocketChannel> silent = List.copyOf(channels);
        for (int i = 0; i < 10; i++) {
            assertThat(answer(send(STATUS)).at("/status/state").asText()).isEqualTo("NI2");
        }
        for (int i = 0; i < 200; i++) {
            send("");
        }
        assertThat(answer(send(STATUS)).at("/status/state").asText()).isEqualTo("NI2");
        for (SocketChannel channel : silent) {
            assertThat(Channels.newInputStream(channel).readAllBytes()).isEmpty();
        }
    }
}
