// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private final ObjectMapper jackson = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "null", "7", "\"a\"", "{\"a\":1,\"b\":[1.5,-2,3000000000,123456789012345678901234567890,1e300,true,false,null],"
            + "\"c\":{\"d\":{},\"e\":[[],[{}]],\"ä\\n\\u0000\":\"\\ud83d\\ude00\\\"\"}}", "{\"a\":1,\"a\":2}", " 1 2 ", ""})
    void readsAndWritesAsJacksonsMapperDoes(String text) throws Exception {
        JsonNode expected = jackson.readTree(text);
        assertThat(Json.read(text)).isEqualTo(expected);
        assertThat(Json.read(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(expected);
        if (!expected.isMissingNode()) {
            assertThat(Json.text(expected)).isEqualTo(expected.toString());
            assertThat(new String(Json.line(expected), StandardCharsets.UTF_8)).isEqualTo(expected + "\n");
        }
    }

    @Test
    void writesNumbersOfEachKind() throws Exception {
        ObjectNode node = Json.object().put("float", 1.1f).put("double", Double.NaN).put("time", BigDecimal.valueOf(1234567890123L, 3))
                .put("short", (short) 3).put("none", (String) null).put("large", BigDecimal.valueOf(1, -30));
        assertThat(Json.text(node)).isEqualTo(jackson.writeValueAsString(node));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (var json = Json.generator(out)) {
            Json.write(json, node);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(Json.text(node));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[1,", "{\"a\"}", "{\"a\":}", "nul", "]", "'a'", "{\"a\":1]"})
    void refusesWhatIsNoJson(String text) {
        assertThatThrownBy(() -> Json.read(text)).isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> Json.read(text.getBytes(StandardCharsets.UTF_8))).isInstanceOf(JsonProcessingException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":1,\"a\":2}", "1 2", "{} x"})
    void refusesStrictlyWhatIsMoreThanOneValueOrNamedTwice(String text) throws Exception {
        assertThat(Json.readStrictly("{\"a\":[{\"a\":1}]}")).isEqualTo(jackson.readTree("{\"a\":[{\"a\":1}]}"));
        assertThatThrownBy(() -> Json.readStrictly(text)).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void bytesThatAreNoTextAreNoJson() {
        byte[] text = "\"ä\"".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> Json.read(text)).isInstanceOf(JsonProcessingException.class);
    }

    private static String nested(int deep) {
        return "[".repeat(deep) + "]".repeat(deep);
    }

    /** Writing is recursive. */
    @Test
    void readsNoDeeperThanASmallThreadCanWrite() throws Exception {
        AtomicReference<String> written = new AtomicReference<>();
        JsonNode deepest = Json.read(nested(200));
        Thread small = new Thread(null, () -> written.set(Json.text(deepest)), "small", 128 * 1024);
        small.start();
        small.join();
        assertThat(written).hasValue(nested(200));
        assertThatThrownBy(() -> Json.read(nested(201))).isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> Json.readStrictly(nested(201))).isInstanceOf(JsonProcessingException.class);
        byte[] deeper = nested(201).getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Json.read(deeper)).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void truncatedTextIsNoJson() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (var json = Json.generator(out)) {
            json.writeStartObject();
            json.writeNumberField("a", 1);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("{\"a\":1");
        assertThatThrownBy(() -> Json.read(out.toByteArray())).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void halfASurrogatePairIsNoReasonToWriteNothing() throws IOException {
        ObjectNode odd = Json.object().put("ä€\ud83d\ude00", "a\ud800b\ude00c\ud83d\ude00").put("x\ud800", "\uffff");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (var json = Json.generator(out)) {
            Json.write(json, odd);
        }
        ObjectNode expected = Json.object().put("ä€\ud83d\ude00", "a?b?c\ud83d\ude00").put("x?", "\uffff");
        assertThat(Json.read(out.toByteArray())).isEqualTo(expected);
        assertThat(Json.text(odd)).isEqualTo(expected.toString());
    }

    /** What this is for: without the mapper's classes an agent is smaller by megabytes. */
    @Test
    void itsUseLoadsNoMapper() throws IOException, InterruptedException {
        Process java = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xlog:class+load", "-cp",
                System.getProperty("java.class.path"), Uses.class.getName()).redirectErrorStream(true).start();
        String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(java.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said).contains("{\"a\":[1,2.5,null]}", "com.fasterxml.jackson.databind.node.ObjectNode")
                .doesNotContain("ObjectMapper").doesNotContain("com.fasterxml.jackson.databind.ser.")
                .doesNotContain("com.fasterxml.jackson.databind.deser.");
    }

    /** A program that does nothing else. */
    static final class Uses {
        private Uses() {
        }

        public static void main(String[] arguments) throws IOException {
            System.out.println(Json.text(Json.read("{\"a\":[1,2.5,null]}")));
        }
    }
}
