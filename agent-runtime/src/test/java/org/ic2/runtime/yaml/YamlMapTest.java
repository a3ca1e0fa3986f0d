// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader of every YAML file: what it understands, and that whatever else comes is an error with its place. */
class YamlMapTest {

    private static final String GOOD = """
            name: shop
            pause: 500ms
            count: 7
            share: 0.25
            on: true
            words: [a, b]
            one: a
            inner: {deep: {deeper: 1}}
            rules:
              - {id: first}
              - id: second
            """;

    private static YamlMap parse(String text) throws ConfigException {
        return YamlMap.parse("f.yaml", text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{a: ", "\n- "})
    void tooDeepNestingIsAnErrorAtAnyDepth(String opening) {
        StringBuilder text = new StringBuilder("a: ");
        for (int depth = 0; text.length() < 100_000 && depth < 30_000; depth++) {
            text.append(opening.startsWith("\n") ? "\n" + " ".repeat(depth) + "- " : opening);
        }
        assertThatThrownBy(() -> parse(text.toString())).isInstanceOf(ConfigException.class)
                .hasMessageMatching("f.yaml:\\d+: nested more than 20 deep");
    }

    @Test
    void oversizedInputIsAnError() {
        assertThatThrownBy(() -> parse("k: [" + "1,".repeat(10_000) + "1]")).isInstanceOf(ConfigException.class)
                .hasMessage("f.yaml:1: more than 10000 keys and values");
        assertThatThrownBy(() -> parse("k: " + "x".repeat(2_000_000))).isInstanceOf(ConfigException.class)
                .hasMessageContaining("expected at most 128 KB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"999999999d", "4000d"})
    void aDurationThatNoClockCanCountIsAnError(String text) throws ConfigException {
        assertThatThrownBy(() -> parse("pause: " + text).duration("pause")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("expected at most 3650d, got \"" + text);
        assertThat(parse("pause: 3650d").duration("pause").toNanos()).isPositive();
    }

    @Test
    void readsEachKindOfValue() throws ConfigException {
        YamlMap map = parse(GOOD);
        assertThat(map.text("name")).isEqualTo("shop");
        assertThat(map.duration("pause")).isEqualTo(Duration.ofMillis(500));
        assertThat(map.integer("count")).isEqualTo(7);
        assertThat(map.number("share")).isEqualTo(0.25);
        assertThat(map.flag("on", false)).isTrue();
        assertThat(map.texts("words")).containsExactly("a", "b");
        assertThat(map.textOrTexts("one")).containsExactly("a");
        assertThat(map.map("inner").map("deep").integer("deeper")).isEqualTo(1);
        assertThat(map.maps("rules")).hasSize(2);
        assertThat(map.maps("rules").get(1).text("id")).isEqualTo("second");
        assertThat(map.has("nothing")).isFalse();
        assertThat(map.integer("nothing", 3)).isEqualTo(3);
        map.done();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "name: shop    | name: [shop]      | 1: name: expected a single value, got a list",
        "name: shop    | name:             | 1: name: expected a value, got nothing; leave the key out",
        "name: shop    | nome: shop        | 1: name: missing; this key is required",
        "name: shop    | ? [name]          | 1: expected a plain key",
        "pause: 500ms  | pause: 500        | 2: pause: expected a duration with its unit",
        "count: 7      | count: 7.5        | 3: count: expected a whole number, got \"7.5\"",
        "count: 7      | count: 77777777777 | 3: count: expected a whole number",
        "share: 0.25   | share: .nan       | 4: share: expected a number, got \".nan\"",
        "share: 0.25   | share: 0x1p3      | 4: share: expected a number",
        "share: 0.25   | share: 1e999      | 4: share: expected a number",
        "on: true      | on: yes           | 5: on: expected true or false, got \"yes\"",
        "words: [a, b] | words: a          | 6: words: expected a list, got \"a\"",
        "words: [a, b] | words: [a, {b: c}] | 6: words: expected a single value, got keys and values",
        "words: [a, b] | words: [a, null]  | 6: words: expected a single value, got nothing",
        "{deeper: 1}   | 1                 | 8: inner.deep: expected keys and values, got \"1\"",
        "deeper: 1     | deeper: one       | 8: inner.deep.deeper: expected a whole number",
        "id: second    | second            | 11: rules[1]: expected keys and values, got \"second\"",
        "id: second    | no: second        | 11: rules[1].id: missing",
        "one: a        | name: a           | 7: name: given twice",
        "one: a        | one: [            | not YAML: ",
        "one: a        | one: *a           | 7: not YAML: ",
    })
    void everyMistakeNamesFileLineAndKey(String right, String wrong, String message) {
        assertThat(GOOD).contains(right);
        assertThatThrownBy(() -> readAll(parse(GOOD.replaceFirst(java.util.regex.Pattern.quote(right), wrong))))
                .isInstanceOf(ConfigException.class).hasMessageStartingWith("f.yaml:").hasMessageContaining(message);
    }

    private static void readAll(YamlMap map) throws ConfigException {
        map.text("name");
        map.duration("pause");
        map.integer("count");
        map.number("share");
        map.flag("on", false);
        map.texts("words");
        map.optionalText("one");
        map.map("inner").map("deep").integer("deeper");
        for (YamlMap rule : map.maps("rules")) {
            rule.text("id");
        }
    }

    @Test
    void refusesUnknownKeys() throws ConfigException {
        YamlMap map = parse("a: 1\nb: 2\n");
        assertThat(map.has("a")).isTrue();
        assertThatThrownBy(map::done).isInstanceOf(ConfigException.class)
                .hasMessage("f.yaml:2: b: unknown key; expected one of a");
        assertThatThrownBy(() -> map.only(List.of("b", "c"))).isInstanceOf(ConfigException.class)
                .hasMessage("f.yaml:1: a: unknown key; expected one of b, c");
    }

    @Test
    void aKeyThatIsNotThereIsAnEmptyMappingWhereThatIsAllowed() throws ConfigException {
        YamlMap empty = parse("a: 1").mapOrEmpty("b");
        assertThat(empty.names()).isEmpty();
        assertThatThrownBy(() -> empty.text("c")).hasMessage("f.yaml:1: b.c: missing; this key is required");
    }

    @Test
    void anythingButAMappingIsRefusedInWords() {
        for (String text : new String[] {"", "   \n", "# only a comment", "7", "- a", "a", "null", "--- \n--- \n",
            "a: b: c", "\t", "{", "a: \u0000", "a: [[[[[", "&a {b: *a, c: *c}", "? [a]\n: b", "\uFEFF", "%YAML 9"}) {
            assertThatThrownBy(() -> parse(text).text("x")).as(text).isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("f.yaml:");
        }
    }

    /** Bytes as they come, and the good file with some of it torn out, doubled or changed: an answer or an error. */
    @Test
    void garbageIsAnErrorAndNothingElse() {
        Random random = new Random(7);
        String letters = "{}[]:,-?&*!|>'\"%@`#\n\t ab1.~\u0000\u00e4";
        for (int round = 0; round < 3000; round++) {
            String text = round % 3 == 0 ? noise(random) : damaged(random, letters);
            try {
                readAll(parse(text));
            } catch (ConfigException e) {
                assertThat(e.getMessage()).as(text).startsWith("f.yaml:").isNotBlank();
            }
        }
    }

    private static String noise(Random random) {
        byte[] bytes = new byte[random.nextInt(60)];
        random.nextBytes(bytes);
        return new String(bytes, random.nextBoolean() ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private static String damaged(Random random, String letters) {
        StringBuilder text = new StringBuilder(GOOD);
        for (int change = random.nextInt(6); change >= 0; change--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(20)));
                case 1 -> text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(20))));
                default -> text.setCharAt(at, letters.charAt(random.nextInt(letters.length())));
            }
            if (text.isEmpty()) {
                text.append(' ');
            }
        }
        return text.toString();
    }

    @Test
    void writtenYamlIsReadBack() throws ConfigException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("plain", "5s");
        document.put("odd", "a: \"b\" # c\n\\'");
        document.put("looksLikeNothing", "null");
        document.put("list", List.of(300, 650));
        document.put("inner", Map.of("path", "/run/a b.sock"));
        String text = YamlText.of(document);
        YamlMap read = parse(text);
        assertThat(read.names()).containsExactlyElementsOf(document.keySet());
        assertThat(read.duration("plain")).isEqualTo(Duration.ofSeconds(5));
        assertThat(read.text("odd")).isEqualTo("a: \"b\" # c\n\\'");
        assertThat(read.text("looksLikeNothing")).isEqualTo("null");
        assertThat(read.texts("list")).containsExactly("300", "650");
        assertThat(read.map("inner").text("path")).isEqualTo("/run/a b.sock");
        assertThat(text).contains("list: [300, 650]");
    }
}
