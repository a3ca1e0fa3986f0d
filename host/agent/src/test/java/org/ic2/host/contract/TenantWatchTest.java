// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the host makes of a tenant's messages by its own clock. */
class TenantWatchTest {
    private static final long SECOND = 1_000_000_000;
    private static final long INTERVAL = 3 * SECOND;
    private static final double CLOCK = 5000;

    private final TenantWatch watch = new TenantWatch();

    /** A message that is written at a time by the tenant's clock, which is an hour ahead of ours. */
    private boolean hear(long second, double busyUntil) {
        TenantMessage message = new TenantMessage(CLOCK + 3600 + second, 0.1, 20, busyUntil, busyUntil > 0);
        return watch.take(new Carrier.Letter(message.toString(), ""), message, second * SECOND, CLOCK + second);
    }

    private boolean busyAt(long second) {
        return watch.busy(second * SECOND, INTERVAL);
    }

    @Test
    void eachMessageCountsOnce() {
        assertThat(hear(3, 0)).isTrue();
        assertThat(hear(3, 0)).isFalse();
        assertThat(watch.next()).map(TenantMessage::requests).contains(20.0);
        assertThat(watch.next()).isEmpty();
        assertThat(watch.silence(4 * SECOND, 9 * SECOND)).isEqualTo("its tenant has told nothing new");
        assertThat(watch.silence(20 * SECOND, 9 * SECOND)).isEqualTo("its tenant has been silent for 17 s");
    }

    @Test
    void withoutATimeTheSameWordsCountAgainWhereTheyWereWrittenAgain() {
        TenantMessage message = new TenantMessage(Double.NaN, Double.NaN, 0, Double.NaN, false);
        assertThat(watch.take(new Carrier.Letter("a", "1"), message, 0, CLOCK)).isTrue();
        assertThat(watch.take(new Carrier.Letter("a", "1"), message, SECOND, CLOCK)).isFalse();
        assertThat(watch.take(new Carrier.Letter("a", "2"), message, SECOND, CLOCK)).isTrue();
    }

    @Test
    void theTenantsClockDoesNotMatter() {
        hear(10, CLOCK + 3600 + 15);
        assertThat(busyAt(10)).isTrue();
        assertThat(busyAt(17)).isTrue();
        assertThat(busyAt(18)).as("an interval after its end").isFalse();
    }

    @Test
    void whatWasOverBeforeItWasReadCountsForTheIntervalInWhichItWas() {
        hear(10, CLOCK + 3600 + 9);
        assertThat(busyAt(10)).isTrue();
        assertThat(busyAt(12)).isFalse();
        hear(20, CLOCK + 3600 + 9);
        assertThat(busyAt(20)).isFalse();
    }

    @Test
    void aTenantIsBusyForAMinuteAtMostUntilItSaysThatItIsNot() {
        for (int second = 0; second < 200; second += 3) {
            hear(second, CLOCK + 1e6);
        }
        assertThat(busyAt(200)).isFalse();
        hear(203, 0);
        hear(206, CLOCK + 1e6);
        assertThat(busyAt(206)).isTrue();
        assertThat(busyAt(265)).isTrue();
        assertThat(busyAt(270)).isFalse();
    }

    @Test
    void aTenantShedsUntilItSaysThatItDoesNotOrIsSilent() {
        hear(10, CLOCK);
        assertThat(watch.shedding(19 * SECOND, 9 * SECOND)).isTrue();
        assertThat(watch.shedding(20 * SECOND, 9 * SECOND)).as("silent").isFalse();
        hear(21, CLOCK);
        assertThat(watch.shedding(21 * SECOND, 9 * SECOND)).isTrue();
        hear(22, 0);
        assertThat(watch.shedding(22 * SECOND, 9 * SECOND)).isFalse();
    }

    @Test
    void whoHasSaidNothingIsNotBusy() {
        assertThat(busyAt(0)).isFalse();
        assertThat(watch.shedding(0, 9 * SECOND)).isFalse();
        assertThat(watch.hasHeard()).isFalse();
        assertThat(watch.silence(0, 1)).isEqualTo("its tenant tells nothing");
    }
}
