// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.Test;

/** Who asks, from lines of the log. */
class VisitorsTest {
    private static final LogFormat FORMAT = LogFormat.parse("%h \"%r\" %>s \"%{User-Agent}i\" \"%{Cookie}i\" %D");
    private static final String BROWSER = "Mozilla/5.0 (X11; Linux x86_64)";

    private final Visitors visitors = new Visitors(FORMAT);

    private void ask(String address, String page, String agent, String cookie) {
        visitors.add(FORMAT.match(address + " \"GET " + page + " HTTP/1.1\" 200 \"" + agent + "\" \"" + cookie + "\" 7").orElseThrow());
    }

    private Map<Quantity, Double> values() {
        Reading.Builder reading = Reading.builder();
        visitors.put(reading);
        return reading.build().values();
    }

    /** Ten people who come back with their cookies, for a few pages and their pictures. */
    private void people(int seconds) {
        for (int second = 0; second < seconds; second++) {
            visitors.pass(1);
            for (int one = 0; one < 10; one++) {
                ask("10.0.0." + one, "/" + (second + one) % 5, BROWSER, "session=1");
                ask("10.0.0." + one, "/logo.png", BROWSER, "session=1");
            }
        }
    }

    @Test
    void newAddressesAreKnownOnlyAfterTheFirstMinutes() {
        people(20);
        assertThat(values()).doesNotContainKey(Metric.NEW_ADDRESSES).containsEntry(Metric.LISTED_CRAWLERS, 0.0)
                .containsEntry(Metric.NO_COOKIE, 0.0);
        people(300);
        assertThat(values().get(Metric.NEW_ADDRESSES)).isLessThan(1e-6);
    }

    @Test
    void crawlersWithManyAddressesShowInAllFigures() {
        people(310);
        Map<Quantity, Double> before = values();
        for (int second = 0; second < 20; second++) {
            people(1);
            for (int one = 0; one < 80; one++) {
                ask("192.0.2." + second + "." + one, "/filter?color=" + second + "&size=" + one, "Mozilla/5.0 (compatible; GPTBot/1.2)", "-");
            }
        }
        assertThat(values().get(Metric.NEW_ADDRESSES)).isBetween(0.6, 0.85);
        assertThat(values().get(Metric.LISTED_CRAWLERS)).isBetween(0.6, 0.85);
        assertThat(values().get(Metric.NO_COOKIE)).isBetween(0.7, 0.95);
        assertThat(values().get(Metric.PAGE_SPREAD)).isGreaterThan(3 * before.get(Metric.PAGE_SPREAD));
    }

    @Test
    void anAddressThatFetchesEverythingShowsInItsPages() {
        people(35);
        assertThat(values().get(Metric.PAGES_PER_ADDRESS)).isEqualTo(5);
        for (int second = 0; second < 20; second++) {
            people(1);
            for (int one = 0; one < 80; one++) {
                ask("192.0.2.1", "/page/" + second + "/" + one, BROWSER, "-");
            }
        }
        assertThat(values().get(Metric.PAGES_PER_ADDRESS)).isGreaterThan(40);
    }

    /** What is told of pages does not depend on when in a window it is asked for, and ends with the requests. */
    @Test
    void pagesAreToldOfWholeWindows() {
        people(40);
        Map<Quantity, Double> before = values();
        for (int second = 0; second < 25; second++) {
            people(1);
            assertThat(values().get(Metric.PAGE_SPREAD)).isEqualTo(before.get(Metric.PAGE_SPREAD));
        }
        for (int second = 0; second < 25; second++) {
            visitors.pass(1);
        }
        assertThat(values()).doesNotContainKeys(Metric.PAGE_SPREAD, Metric.PAGES_PER_ADDRESS);
    }

    @Test
    void aFormatThatTellsNothingOfThemGivesNothing() {
        LogFormat few = LogFormat.parse("%>s %D");
        Visitors nobody = new Visitors(few);
        nobody.pass(400);
        nobody.add(few.match("200 7").orElseThrow());
        nobody.pass(10);
        Reading.Builder reading = Reading.builder();
        nobody.put(reading);
        assertThat(reading.build().values()).isEmpty();
    }

    /** Whatever is sent, tables stay as large as they may be, and shares are shares. */
    @Test
    void aMillionAddressesAndProgramsFillNoMemory() {
        Random random = new Random(1);
        for (int second = 0; second < 20; second++) {
            visitors.pass(1);
            for (int one = 0; one < 10_000; one++) {
                ask(Long.toHexString(random.nextLong()), "/" + random.nextLong(), Long.toString(random.nextLong()), "-");
            }
        }
        assertThat(values().values()).allMatch(value -> value >= 0 && value <= 10_000);
        Visitors.Hashes hashes = new Visitors.Hashes();
        for (int one = 0; one < 3 * Visitors.Hashes.MOST; one++) {
            hashes.add(Visitors.Hashes.of(Integer.toString(one), 1));
        }
        assertThat(hashes.size()).isEqualTo(Visitors.Hashes.MOST);
        assertThat(hashes.isFull()).isTrue();
        assertThat(hashes.has(Visitors.Hashes.of("1", 1))).isTrue();
        assertThat(hashes.has(Visitors.Hashes.of(Integer.toString(2 * Visitors.Hashes.MOST), 1))).isFalse();
    }

    @Test
    void theListIsTheOneThatShips() {
        assertThat(Visitors.listed()).contains("gptbot", "claudebot", "bytespider").contains("screaming frog")
                .doesNotContain("googlebot", "", "training", "search", "seo").hasSizeGreaterThan(20);
    }
}
