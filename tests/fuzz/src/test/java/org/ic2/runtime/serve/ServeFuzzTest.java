// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;

/** What clients send to the agent. */
class ServeFuzzTest {

    private static final Settings IN_FORCE = Lever.settings(650, 5000, 50, 0);

    private final JsonMapper mapper = new JsonMapper();

    /** The bytes of a client that takes no answer. */
    private record Client(ReadableByteChannel in) implements ByteChannel {
        @Override
        public int read(ByteBuffer into) throws IOException {
            return in.read(into);
        }

        @Override
        public int write(ByteBuffer from) {
            int count = from.remaining();
            from.position(from.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // holds nothing
        }
    }

    @FuzzTest
    void httpRequest(byte[] bytes) throws IOException {
        try {
            HttpRequest request = HttpRequest.read(new Client(Channels.newChannel(new ByteArrayInputStream(bytes))));
            assertThat(request.path()).startsWith("/");
            assertThat(request.body().length).isLessThanOrEqualTo(4096);
        } catch (HttpRequest.BadRequestException e) {
            assertThat(e.getMessage()).startsWith("expected ");
            assertThat(e.code()).isBetween(400, 499);
        } catch (EOFException e) {
            assertThat(bytes.length).isLessThan(12 * 1024);
        }
    }

    /** What is in the files that {@code http.tls} names. */
    @FuzzTest
    void certificateAndKey(byte[] bytes) throws IOException {
        Path file = Files.write(Files.createTempFile("ic2", ".pem"), bytes);
        try {
            assertThat(new TlsFiles(file, file).read().own()).isNotNull();
        } catch (IOException e) {
            assertThat(e.getMessage()).contains(file.toString());
        } finally {
            Files.delete(file);
        }
    }

    /** Up to the moment in which a loop would be asked. */
    @FuzzTest
    void command(byte[] bytes) throws InterruptedException {
        Commands commands = new Commands(() -> {
            throw new UnsupportedOperationException("the loop");
        }, mapper::createObjectNode, () -> IN_FORCE);
        try {
            JsonNode request = mapper.readTree(new String(bytes, StandardCharsets.UTF_8).strip());
            assertThat(commands.handle(request, "").has("ok")).isTrue();
        } catch (JsonProcessingException e) {
            assertThat(e.getMessage()).isNotBlank();
        } catch (UnsupportedOperationException e) {
            assertThat(e).hasMessage("the loop");
        }
    }
}
