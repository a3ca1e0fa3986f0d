// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnrestTest {
    private static Unrest after(Unrest unrest, int times, boolean doubtful) {
        return Collections.nCopies(times, doubtful).stream().reduce(unrest, (known, now) -> known.after(now, false), (a, b) -> b);
    }

    /** Some minutes of a neighbour in each of many quiet hours, in which nothing could be learned, do not add up. */
    @Test
    void minutesThatLieFarApartDoNotAddUp() {
        Unrest unrest = Unrest.none();
        for (int hour = 0; hour < 24; hour++) {
            unrest = after(after(unrest, Unrest.NEVER_QUIET - 1, true), 3600, false);
        }
        assertThat(unrest).isEqualTo(Unrest.none());
    }

    /** A host that is loud most of the time is found, and the sooner the louder it is; one that is quiet as often never is. */
    @ParameterizedTest
    @CsvSource({"1.0, 300, true", "0.9, 600, true", "0.75, 1500, true", "0.5, 3600, false", "0.1, 36000, false"})
    void aHostIsNeverQuietWhereMostSamplesAreDoubtful(double share, int samples, boolean always) {
        Random random = new Random(7);
        Unrest unrest = Unrest.none();
        for (int i = 0; i < samples; i++) {
            unrest = unrest.after(random.nextDouble() < share, false);
        }
        assertThat(unrest.always()).isEqualTo(always);
    }

    @Test
    void theCountEndsOnceTheHostIsLearned() {
        Unrest nearly = after(Unrest.none(), Unrest.NEVER_QUIET - 1, true);
        assertThat(nearly.always()).isFalse();
        assertThat(nearly.after(true, false).always()).isTrue();
        assertThat(nearly.after(true, true)).isEqualTo(Unrest.none());
    }

    @Test
    void aHostThatGrowsQuietIsQuiet() {
        Unrest always = after(Unrest.none(), Unrest.NEVER_QUIET, true);
        assertThat(after(always, 19, false).always()).isTrue();
        assertThat(after(always, 20, false)).isEqualTo(Unrest.none());
    }
}
