// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What counts as a difference of two pages, and where it is. */
class PageComparisonTest {

    private static String compare(String one, String other) {
        return PageComparison.bodies(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8))
                .map(place -> place.offset() + " " + place.first() + "|" + place.second()).orElse("same");
    }

    @Test
    void numbersInCommentsAreNotCompared() {
        assertThat(compare("<!-- 12 queries in 0.131 s -->x", "<!-- 7 queries in 0.5 s -->x")).isEqualTo("same");
        assertThat(compare("<!-- 12 queries -->", "<!-- queries -->")).as("a number and none").isNotEqualTo("same");
        assertThat(compare("<!-- user 1 -->1", "<!-- user 2 -->2")).isEqualTo("15 - user 1 -->1|- user 2 -->2");
        assertThat(compare("<!-- Ann -->", "<!-- Bob -->")).startsWith("5 ");
        assertThat(compare("<!--1", "<!--22")).as("a comment without an end").isEqualTo("same");
        assertThat(compare("a1", "a2")).isEqualTo("1 a1|a2");
    }

    @Test
    void thePlaceIsThatOfTheFirstPage() {
        assertThat(compare("", "")).isEqualTo("same");
        assertThat(compare("abc", "ab")).isEqualTo("2 abc|ab");
        assertThat(compare("ab", "abc")).isEqualTo("2 ab|abc");
        assertThat(compare("<!-- 123456 -->x", "<!-- 1 -->y")).startsWith("15 ");
        assertThat(compare("Grüße", "Grüßt")).isEqualTo("6 Grüße|Grüßt");
        assertThat(compare("a".repeat(100) + "\n\t b" + "c".repeat(100), "a".repeat(100) + "\n\t d")).isEqualTo(
                "103 " + "a".repeat(9) + " b" + "c".repeat(27) + "|" + "a".repeat(9) + " d");
    }

    private static WebAnswer answer(int status, String... headers) {
        return new WebAnswer(status, List.of(headers).stream().map(header -> header.split(": ")).map(header ->
                new WebAnswer.Header(header[0], header[1])).toList(), new byte[0], false, InetAddress.getLoopbackAddress());
    }

    private static String headers(WebAnswer one, WebAnswer other) {
        return PageComparison.of(one, new byte[0], other, new byte[0]).map(place -> place.where() + " " + place.first() + "|" + place.second()).orElse("same");
    }

    @Test
    void headersOfTheMomentAreNotCompared() {
        assertThat(headers(answer(200, "Date: 1", "ETag: a", "X-Request-Id: 1", "X-Cache: HIT"), answer(200, "Date: 2", "etag: b", "X-Request-Id: 2")))
                .isEqualTo("same");
        assertThat(headers(answer(200, "X-User: Ann"), answer(200, "x-user: Bob"))).isEqualTo("header x-user Ann|Bob");
        assertThat(headers(answer(200), answer(200, "X-User: Bob"))).isEqualTo("header x-user |Bob");
        assertThat(headers(answer(200), answer(403))).isEqualTo("status 200|403");
    }
}
