// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EpisodeDelaysTest {
    private static final Optional<Double> NEVER = Optional.empty();

    @Test
    void theNinetiethPercentileIsThatOfTheSlowOnes() {
        List<Optional<Double>> episodes = IntStream.rangeClosed(1, 20).mapToObj(i -> Optional.of((double) i)).toList();
        assertThat(EpisodeDelays.of(episodes)).isEqualTo(new EpisodeDelays(20, 20, 10, 18));
        assertThat(EpisodeDelays.of(episodes).counted()).isEqualTo("20 of 20: 10.0 s (p90 18.0 s)");
    }

    @Test
    void missedEpisodesCountAsSlowerThanAllOthers() {
        assertThat(EpisodeDelays.of(List.of(NEVER, Optional.of(3.0), Optional.of(1.0), Optional.of(2.0))).counted())
                .isEqualTo("3 of 4: 2.0 s (p90 not in time)");
        assertThat(EpisodeDelays.of(List.of(NEVER, Optional.of(3.0), NEVER)).text()).isEqualTo("not in time (p90 not in time)");
    }

    @Test
    void ofFewEpisodesNothingIsMadeUp() {
        assertThat(EpisodeDelays.of(List.of()).counted()).isEqualTo("-");
        assertThat(EpisodeDelays.of(List.of(Optional.of(1.0))).counted()).isEqualTo("1 of 1: 1.0 s");
        assertThat(EpisodeDelays.of(List.of(NEVER)).counted()).isEqualTo("0 of 1");
    }
}
