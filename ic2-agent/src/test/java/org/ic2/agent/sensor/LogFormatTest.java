// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of access logs in the formats that people have, and in those that nobody should have. */
class LogFormatTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', value = {
        "%h %l %u %t \"%r\" %>s %b %D  | ::1 - - [20/Nov/2026:11:38:25 +0000] \"GET /?q=\\\"x y\\\" HTTP/1.1\" 404 - 7 | 404 | 7e-6",
        "\"%m %U%q %H\" %s %{ms}T       | \"GET /a?b HTTP/1.1\" 200 12                              | 200 | 0.012",
        "%h%l%u%D                        | ::1--42                                                  | 200 | 2e-6",
        "%h:%p:%D                        | ::1:80:42                                                | 200 | 42e-6",
        "%D%>s                           | 1234567                                                  | 567 | 1234e-6",
        "%>s%D                           | 5031234                                                  | 503 | 1234e-6",
        "100%% %<s %{us}T                | 100% 500 3                                               | 500 | 3e-6",
        "%{a}^ti %^FB %T                 | x 17 3                                                   | 200 | 3",
        "%!200,304{Referer}i %D          | http://a 8                                               | 200 | 8e-6",
        "\"%{User-Agent}i\" %D           | \"a \\\\\" 8                                             | 200 | 8e-6",
    })
    void findsDurationAndStatus(String format, String line, int status, double seconds) {
        LogFormat.Entry entry = LogFormat.parse(format).match(line).orElseThrow();
        assertThat(entry.status()).isEqualTo(status);
        assertThat(entry.path()).isEqualTo(line.contains("GET /?") ? "/" : line.contains("GET /a") ? "/a" : "");
        assertThat(entry.seconds()).isEqualTo(seconds, org.assertj.core.api.Assertions.within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "200 7 ", " 200 7", "200 x", "20 7", "200 1234567890123456"})
    void anotherFormIsNoEntry(String line) {
        assertThat(LogFormat.parse("%>s %D").match(line)).isEmpty();
    }

    /** Each of these took a regular expression seconds to hours, or all of its stack. */
    @ParameterizedTest
    @ValueSource(strings = {"%h%l%u%U%q%D", "%h:%l:%u:%D", "%D%D%D%D%>s", "\"%U%q%{x}i\"%h %D", "%t%h%t%D", "\"%r\" %D"})
    @Timeout(60)
    void theTimeGrowsWithTheLengthOfTheLine(String format) {
        LogFormat parsed = LogFormat.parse(format);
        for (String part : new String[] {"x", ":", "1", "\\", "\"", "\\\"", "[", "]", " "}) {
            assertThat(parsed.match("\"" + part.repeat(60_000 / part.length()) + "\"x y")).isEmpty();
        }
    }

    @Test
    void findsTheMethodAndWhetherAStoreHadTheAnswer() {
        LogFormat usual = LogFormat.parse("%h \"%r\" %>s %D \"%{cache-status}e\"");
        assertThat(usual.match("::1 \"POST /a?b HTTP/1.1\" 303 7 \"-\"")).contains(new LogFormat.Entry(7e-6, 303, "POST", "/a", false, false, false,
                new LogFormat.Client("::1", "", "", "POST /a?b HTTP/1.1")));
        assertThat(usual.match("::1 \"GET / HTTP/1.1\" 200 7 \"cache hit\"").orElseThrow().stored()).isTrue();
        assertThat(usual.match("::1 \"GET / HTTP/1.1\" 200 7 \"cache miss: attempting entity save\"").orElseThrow().stored())
                .isFalse();
        for (String said : new String[] {"wall", "crawler", "cache hit", "pass: wall", "-"}) {
            assertThat(usual.match("::1 \"GET / HTTP/1.1\" 503 7 \"" + said + "\"").orElseThrow().away()).as(said)
                    .isEqualTo(said.equals("wall") || said.equals("crawler"));
        }
        assertThat(LogFormat.parse("%m %U %D").match("HEAD /x 7")).contains(new LogFormat.Entry(7e-6, 200, "HEAD", "/x", false, false, false,
                new LogFormat.Client("", "", "", "/x")));
    }

    /** A crawler's 503 with an error page of the site's own: httpd logs what was said of the page, which is nothing. */
    @Test
    void findsWhoWasTurnedAwayBehindAnErrorPage() {
        for (String format : new String[] {"%m %U %>s \"%{cache-status}e\" \"%<{cache-status}e\" %D",
            "%m %U %>s \"%{cache-status}e\" \"%{cache-status}<e\" %D", "%m %U %>s \"%{cache-status}e\" \"%{REDIRECT_cache-status}e\" %D"}) {
            LogFormat both = LogFormat.parse(format);
            assertThat(both.match("GET /a 503 \"-\" \"crawler\" 7").orElseThrow().away()).as(format).isTrue();
            assertThat(both.match("GET /a 503 \"cache hit\" \"crawler\" 7").orElseThrow().away()).isTrue();
            assertThat(both.match("GET /a 503 \"crawler\" \"-\" 7").orElseThrow().away()).isTrue();
            assertThat(both.match("GET /a 503 \"-\" \"pass: cookie\" 7").orElseThrow().away()).isFalse();
            assertThat(both.match("GET /a 200 \"cache hit\" \"-\" 7").orElseThrow().stored()).isTrue();
            assertThat(both.match("GET /a 200 \"-\" \"cache hit\" 7").orElseThrow().stored()).as("the page that answered counts").isFalse();
        }
        LogFormat first = LogFormat.parse("%m %U %>s \"%<{cache-status}e\" \"%{cache-status}e\" %D");
        assertThat(first.match("GET /a 200 \"-\" \"cache hit\" 7").orElseThrow().stored()).as("in any order").isTrue();
        assertThat(LogFormat.parse("%m %U %>s \"%<{cache-status}e\" %D").match("GET /a 200 \"cache hit\" 7").orElseThrow().stored()).isTrue();
    }

    @Test
    void findsWhetherAMemberAsks() {
        LogFormat own = LogFormat.parse("%m %U %>s \"%{cache-status}e\" %{ic2_member}e %D");
        assertThat(own.hasMember()).isTrue();
        assertThat(own.match("GET /a 200 \"-\" 1 7")).contains(new LogFormat.Entry(7e-6, 200, "GET", "/a", false, false, true,
                new LogFormat.Client("", "", "", "/a")));
        assertThat(own.match("GET /a 200 \"cache miss\" - 7").orElseThrow().member()).isFalse();
        assertThat(LogFormat.parse("%m %U %D").hasMember()).isFalse();
    }

    @Test
    void findsWhoAsks() {
        LogFormat combined = LogFormat.parse("%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\" \"%{COOKIE}i\" %D");
        assertThat(combined.hasAddress() && combined.hasAgent() && combined.hasCookie()).isTrue();
        assertThat(combined.match("10.0.0.9 - - [x] \"GET /a?b=1 HTTP/1.1\" 200 5 \"-\" \"GPTBot/1.2\" \"a=\\\"b\" 7").orElseThrow().client())
                .isEqualTo(new LogFormat.Client("10.0.0.9", "GPTBot/1.2", "a=\\\"b", "GET /a?b=1 HTTP/1.1"));
        LogFormat few = LogFormat.parse("%>s %D");
        assertThat(few.hasAddress() || few.hasAgent() || few.hasCookie()).isFalse();
    }

    /** Where an expression has the time, it says the same. */
    @Test
    void isWhatARegularExpressionWouldFind() {
        Random random = new Random(7);
        LogFormat parsed = LogFormat.parse("%h%l:%u %D%>s");
        Pattern pattern = Pattern.compile("\\S+\\S+:\\S+ (\\d{1,15})(\\d{3})");
        int matches = 0;
        for (int round = 0; round < 20_000; round++) {
            StringBuilder line = new StringBuilder();
            for (int i = random.nextInt(14); i >= 0; i--) {
                line.append("a:: 11223".charAt(random.nextInt(9)));
            }
            var matcher = pattern.matcher(line);
            boolean fits = matcher.matches();
            assertThat(parsed.match(line.toString()).map(entry -> entry.seconds() + " " + entry.status())).as(line.toString())
                    .isEqualTo(fits ? java.util.Optional.of(Long.parseLong(matcher.group(1)) * 1e-6 + " "
                            + Integer.parseInt(matcher.group(2))) : java.util.Optional.empty());
            matches += fits ? 1 : 0;
        }
        assertThat(matches).isPositive();
    }

    @Test
    void aFormatWithoutADurationOrOfAnyLengthIsRefused() {
        for (String format : new String[] {"%h %>s", "%D" + "%h".repeat(300), "%D" + " ".repeat(5000)}) {
            assertThatThrownBy(() -> LogFormat.parse(format)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("expected a LogFormat");
        }
    }
}
