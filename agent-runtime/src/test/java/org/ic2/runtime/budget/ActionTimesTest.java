// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ActionTimesTest {

    private static final long HOUR = 3600;

    @Test
    void countsThoseOfTheLastHourOnly() {
        ActionTimes times = ActionTimes.none(TimeUnit.SECONDS).plus(0, true).plus(10, true);
        assertThat(times.inLastHour(10)).isEqualTo(2);
        assertThat(times.inLastHour(HOUR - 1)).isEqualTo(2);
        assertThat(times.inLastHour(HOUR)).isEqualTo(1);
        assertThat(times.plus(HOUR, true).lastHour()).containsExactly(10L, HOUR);
    }

    @Test
    void theCoolDownIsCountedFromThoseThatCool() {
        ActionTimes none = ActionTimes.none(TimeUnit.SECONDS);
        assertThat(none.since(5)).isEqualTo(Long.MAX_VALUE);
        ActionTimes times = none.plus(100, true).plus(130, false);
        assertThat(times.since(140)).isEqualTo(40);
        assertThat(times.inLastHour(140)).isEqualTo(2);
    }

    @Test
    void oneThatCameToNothingIsNotPaidForButCools() {
        ActionTimes times = ActionTimes.none(TimeUnit.SECONDS).plus(100, true).plus(130, true).withoutLatest();
        assertThat(times.inLastHour(140)).isEqualTo(1);
        assertThat(times.since(140)).isEqualTo(10);
        assertThat(ActionTimes.none(TimeUnit.SECONDS).withoutLatest().lastHour()).isEmpty();
    }

    @Test
    void theTimeUntilThereIsRoomIsThatOfTheOldestThatMustGo() {
        ActionTimes times = ActionTimes.none(TimeUnit.SECONDS).plus(10, true).plus(20, true).plus(40, true);
        assertThat(times.untilFewerThan(4, 50)).isZero();
        assertThat(times.untilFewerThan(3, 50)).isEqualTo(HOUR - 40);
        assertThat(times.untilFewerThan(1, 50)).isEqualTo(HOUR - 10);
        assertThat(times.inLastHour(50 + HOUR - 40)).isEqualTo(2);
    }

    @Test
    void aClockMayBeginAnywhere() {
        long now = Long.MIN_VALUE + 5;
        ActionTimes times = ActionTimes.none(TimeUnit.NANOSECONDS).plus(now, true);
        assertThat(times.inLastHour(now + 7)).isEqualTo(1);
        assertThat(times.since(now + 7)).isEqualTo(7);
    }
}
