// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.time.Duration;

/**
 * How much a crawl asks of a site at most. There is one request at a time.
 *
 * @param pages       addresses that are looked at
 * @param time        for the whole crawl
 * @param answerTime  for one answer, from the connection to its last byte
 * @param answerBytes of one answer's body; a longer one is not compared
 */
public record CrawlLimits(int pages, Duration time, Duration answerTime, int answerBytes) {

    private static final int TWO_MEGABYTES = 2 * 1024 * 1024;

    /** @throws IllegalArgumentException when a limit is not positive */
    public CrawlLimits {
        if (pages < 1 || answerBytes < 1 || time.isNegative() || time.isZero() || answerTime.isNegative() || answerTime.isZero()) {
            throw new IllegalArgumentException("expected limits above 0, got " + pages + " pages, " + time + ", " + answerTime
                    + " for an answer, " + answerBytes + " bytes");
        }
    }

    /** Those of {@code ic2 check --crawl}: 200 pages, 60 s. */
    public static CrawlLimits whole() {
        return new CrawlLimits(200, Duration.ofSeconds(60), Duration.ofSeconds(15), TWO_MEGABYTES);
    }

    /** Those of {@code ic2 init}: 40 pages, 15 s. */
    public static CrawlLimits brief() {
        return new CrawlLimits(40, Duration.ofSeconds(15), Duration.ofSeconds(10), TWO_MEGABYTES);
    }
}
