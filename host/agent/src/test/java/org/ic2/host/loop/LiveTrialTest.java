// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.learn.Annealer;
import org.ic2.host.learn.Objective;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A search's hands on a host in memory: what they move, what they leave alone, and what is there at the end. */
class LiveTrialTest {

    @TempDir
    private Path directory;
    private final FakeBackend host = new FakeBackend();
    private final List<Duration> pauses = new ArrayList<>();
    private Guest web;
    private Guest batch;

    @BeforeEach
    void start() {
        web = host.start("web", "1", GuestClass.NLS, 256, 0, 512);
        batch = host.start("batch", "2", GuestClass.NLS, 300, 0, 512);
        host.measured.put(GuestMetric.CPU_WAIT, 0.1);
    }

    private HostConfig config(String controllers) throws ConfigException {
        return HostConfigReader.parse(directory.resolve("host.yaml"), "backend: {type: xen}\nmode: act\nguests: {web: {class: LS1}}\n"
                + "controllers:\n" + controllers + "journal: journal.jsonl\n");
    }

    private Journal journal() throws IOException {
        return new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
    }

    private LiveTrial trial(Journal journal, String knobs) throws Exception {
        HostConfig config = config("  schedule: {knobs: " + knobs + ", library: regions.json}\n");
        return new LiveTrial(config, config.schedule().orElseThrow(), host, journal, pauses::add);
    }

    private static SchedulerVector vector(int tslice, int ratelimit, int web, int others) {
        return new SchedulerVector(OptionalInt.of(tslice), OptionalInt.of(ratelimit), Map.of(GuestClass.LS1, web, GuestClass.NLS, others));
    }

    private Map<String, Integer> values() {
        return Map.copyOf(host.values);
    }

    @Test
    void aSettingIsInForceWhileItIsMeasuredAndAllIsRestoredAtTheEnd() throws Exception {
        Map<String, Integer> baseline = values();
        try (Journal journal = journal()) {
            try (LiveTrial trial = trial(journal, "[weight, tslice, ratelimit]")) {
                assertThat(trial.measure(vector(600, 2000, 1024, 512)).shares()).hasSize(2).allMatch(share -> share.waited() == 0.1);
                assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(1024);
                assertThat(host.value(KnobKind.WEIGHT, batch)).isEqualTo(512);
                assertThat(host.values).containsEntry("tslice pool pool", 600).containsEntry("ratelimit pool pool", 2000);
                assertThat(pauses).as("two slices, then the window").containsExactly(Duration.ofMillis(1200), Duration.ofSeconds(4));
            }
            assertThat(values()).isEqualTo(baseline);
        }
    }

    @Test
    void onlyWhatTheFileListsIsSearched() throws Exception {
        try (Journal journal = journal(); LiveTrial trial = trial(journal, "[weight]")) {
            assertThat(trial.base()).isEqualTo(new SchedulerVector(OptionalInt.empty(), OptionalInt.empty(),
                    Map.of(GuestClass.LS1, 256, GuestClass.NLS, 256)));
            Annealer.Found found = search(trial);
            assertThat(found.evaluations()).hasSize(12).allMatch(one -> one.vector().tslice().isEmpty() && one.vector().ratelimit().isEmpty());
            assertThat(host.orders).isNotEmpty().allMatch(order -> order.contains("'s weight = "));
        }
    }

    @Test
    void weightsThatTheFileDoesNotListStay() throws Exception {
        try (Journal journal = journal(); LiveTrial trial = trial(journal, "[tslice, ratelimit]")) {
            assertThat(trial.base().weights()).isEmpty();
            search(trial);
            assertThat(host.orders).isNotEmpty().noneMatch(order -> order.contains("weight"));
        }
    }

    private static Annealer.Found search(LiveTrial trial) throws IOException, InterruptedException {
        return new Annealer(Annealer.Acceptance.METROPOLIS, Annealer.Effort.of(12), one -> { })
                .anneal(trial, Objective.waitAndThrottled(), trial.base(), new SplittableRandom(1));
    }

    /** Xen takes no rate limit above the time slice, whichever of the two stays. */
    @Test
    void theTimeThatStaysBoundsTheOther() throws Exception {
        host.values.put("ratelimit pool pool", 5000);
        try (Journal journal = journal()) {
            try (LiveTrial slices = trial(journal, "[tslice]")) {
                assertThat(slices.measure(slices.base()).refused()).isEmpty();
                assertThat(slices.measure(new SchedulerVector(OptionalInt.of(4), OptionalInt.empty(), Map.of())).refused())
                        .contains("a rate limit of 5000 us is above a time slice of 4 ms, and only one of the two is moved");
            }
            try (LiveTrial limits = trial(journal, "[ratelimit]")) {
                assertThat(limits.measure(new SchedulerVector(OptionalInt.empty(), OptionalInt.of(30_000), Map.of())).refused()).isEmpty();
                assertThat(limits.measure(new SchedulerVector(OptionalInt.empty(), OptionalInt.of(30_100), Map.of())).refused()).isPresent();
            }
            try (LiveTrial both = trial(journal, "[tslice, ratelimit]")) {
                assertThat(both.measure(vector(1, 1000, 2, 1)).refused()).as("both are moved").isEmpty();
            }
        }
    }

    @Test
    void aPoolWithoutASliceIsLeftAsItIs() throws Exception {
        host.pools.add(new Pool("second", "credit2", List.of(2, 3)));
        host.values.put("ratelimit pool second", 1000);
        try (Journal journal = journal(); LiveTrial trial = trial(journal, "[tslice, ratelimit]")) {
            trial.measure(new SchedulerVector(OptionalInt.of(60), OptionalInt.of(2000), Map.of()));
            assertThat(host.values).containsEntry("tslice pool pool", 60).containsEntry("ratelimit pool second", 2000)
                    .doesNotContainKey("tslice pool second");
        }
    }

    @Test
    void whatHadAValueAndIsLostEndsTheSearch() throws Exception {
        try (Journal journal = journal(); LiveTrial trial = trial(journal, "[weight]")) {
            trial.measure(weights(1024, 512));
            Integer value = host.values.remove("weight " + web.uuid());
            assertThatThrownBy(() -> trial.measure(weights(2048, 768))).isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the setting could not be tried: ").hasMessageContaining("web's weight: no such guest");
            host.values.put("weight " + web.uuid(), value);
        }
    }

    @Test
    void whatSomebodyElseSetsEndsTheSearchAndStays() throws Exception {
        try (Journal journal = journal()) {
            try (LiveTrial trial = trial(journal, "[weight]")) {
                trial.measure(weights(1024, 512));
                host.setByOthers(KnobKind.WEIGHT, web, 777);
                assertThatThrownBy(() -> trial.measure(weights(2048, 768))).isInstanceOf(IOException.class)
                        .hasMessageContaining("web's weight was set to 777 by somebody else");
            }
            assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(777);
            assertThat(host.value(KnobKind.WEIGHT, batch)).as("baseline").isEqualTo(300);
        }
    }

    private static SchedulerVector weights(int web, int others) {
        return vector(30, 1000, web, others).movedBy(Set.of(KnobKind.WEIGHT));
    }

    /** Whether that ends the search or only the setting: it is never asked for. */
    @Test
    void whatTheHostObjectsToIsNeverAskedFor() throws Exception {
        Map<String, Integer> baseline = values();
        try (Journal journal = journal()) {
            try (LiveTrial trial = trial(journal, "[weight]")) {
                host.objection = Optional.of("not beside this cap");
                Throwable thrown = catchThrowable(() -> trial.measure(weights(1024, 512)));
                assertThat(thrown == null || thrown.getMessage().contains("not beside this cap")).isTrue();
                assertThat(values()).isEqualTo(baseline);
                host.objection = Optional.empty();
                trial.measure(weights(1024, 512));
                assertThat(host.value(KnobKind.WEIGHT, web)).isEqualTo(1024);
            }
            assertThat(values()).isEqualTo(baseline);
        }
    }

    @Test
    void aHostThatLacksWhatTheFileListsIsRefusedBeforeAnythingIsTried() throws Exception {
        host.ranges.remove(KnobKind.TSLICE);
        try (Journal journal = journal()) {
            assertThatThrownBy(() -> trial(journal, "[weight, tslice]")).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("host.yaml:5: controllers.schedule.knobs: tslice cannot be moved on this host (xen)");
            HostConfig pinned = config("  schedule: {knobs: [weight], library: regions.json}\n  placement: {realise: affinity}\n");
            assertThatThrownBy(() -> new LiveTrial(pinned, pinned.schedule().orElseThrow(), host, journal, pauses::add))
                    .isInstanceOf(ConfigException.class).hasMessageContaining("controllers.placement");
        }
        assertThat(host.orders).isEmpty();
    }

    @Test
    void withoutGuestsThereAreNoWeightsToTry() throws Exception {
        host.end(web);
        host.end(batch);
        try (Journal journal = journal(); LiveTrial trial = trial(journal, "[weight]")) {
            assertThatThrownBy(trial::base).isInstanceOf(IOException.class).hasMessageStartingWith("no guest runs");
        }
    }
}
