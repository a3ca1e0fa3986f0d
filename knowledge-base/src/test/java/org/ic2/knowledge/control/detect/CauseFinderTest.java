// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding;
import org.ic2.knowledge.CauseFinding.Confidence;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.Tier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each signature by itself, with each other, and with something missing. */
class CauseFinderTest {
    /** What is usual: 100 requests a second at 40 ms and 6 ms of CPU. */
    private static final Map<Metric, Double> USUAL = new EnumMap<>(Map.ofEntries(Map.entry(Metric.RESPONSE_TIME, 0.04),
            Map.entry(Metric.THROUGHPUT, 100.0), Map.entry(Metric.CPU_UTIL, 0.6), Map.entry(Metric.LOAD_PER_OPERATION_USED, 0.006),
            Map.entry(Metric.COST_PER_MIX, 1.0), Map.entry(Metric.NEW_ADDRESSES, 0.1), Map.entry(Metric.NO_COOKIE, 0.2),
            Map.entry(Metric.LISTED_CRAWLERS, 0.02), Map.entry(Metric.PAGES_PER_ADDRESS, 2.0), Map.entry(Metric.PAGE_SPREAD, 0.3),
            Map.entry(Metric.OTHER_CPU, 0.01), Map.entry(Metric.CPI, 1.0), Map.entry(Metric.RETRANSMITS, 0.01)));

    private boolean neighbour;

    /** A second like any other, but for the queue that all harm has. */
    private static Sample.Builder usual() {
        Sample.Builder sample = Sample.at(Instant.EPOCH).set(Metric.STEAL, 0.0).set(Metric.MEMORY_IDLE, 0.5).set(Metric.ACCEPT_QUEUE, 0)
                .set(Metric.ACCEPT_QUEUE_WAIT, 0).set(Metric.BUSY_WORKERS, 100).set(Metric.IDLE_WORKERS, 50);
        USUAL.forEach(sample::set);
        return sample;
    }

    /** The signature of a cause, laid over what is there. */
    private UnaryOperator<Sample.Builder> of(Cause cause) {
        return sample -> switch (cause) {
            case NEIGHBOUR -> {
                neighbour = true;
                yield sample.set(Metric.STEAL, 0.4).set(Metric.CPU_UTIL, 1);
            }
            case OWN_BATCH_WORK -> sample.set(Metric.OTHER_CPU, 0.5).set(Metric.CPU_UTIL, 1);
            case CRAWLERS -> sample.set(Metric.NEW_ADDRESSES, 0.8).set(Metric.NO_COOKIE, 0.9).set(Metric.PAGE_SPREAD, 0.7)
                    .set(Metric.CPU_UTIL, 1);
            case DEARER_PAGES -> sample.set(Metric.COST_PER_MIX, 2).set(Metric.CPU_UTIL, 1);
            case SURGE -> sample.set(Metric.THROUGHPUT, 160).set(Metric.CPU_UTIL, 1);
            case NETWORK -> sample.set(Metric.RETRANSMITS, 0.3).set(Metric.SEND_DROPS, 0).set(Metric.CPU_UTIL, 0.4);
            case SLOW_DEPENDENCY -> sample.set(Metric.RESPONSE_TIME, 3).set(Metric.CPU_UTIL, 0.2).set(Metric.BUSY_WORKERS, 150)
                    .set(Metric.IDLE_WORKERS, 0);
            case LIMIT -> sample.set(Metric.BUSY_WORKERS, 150).set(Metric.IDLE_WORKERS, 0).set(Metric.RESPONSE_TIME, 1.04)
                    .set(Metric.ACCEPT_QUEUE_WAIT, 1).set(Metric.CPU_UTIL, 0.5);
            case UNKNOWN -> sample;
        };
    }

    private CauseFinding find(Sample.Builder sample) {
        return CauseFinder.find(new Features(sample.build(), new Medians(USUAL, 100)), neighbour, Tier.policy().levers(Set.of()).build());
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void aSignatureByItselfIsNamed(Cause cause) {
        CauseFinding found = find(of(cause).apply(usual()));
        assertThat(found.cause()).as(found.describe()).isEqualTo(cause);
        assertThat(found.confidence()).as(found.describe()).isEqualTo(cause == Cause.UNKNOWN ? Confidence.LOW : Confidence.HIGH);
        assertThat(found.evidence()).isEqualTo(cause == Cause.UNKNOWN ? List.of() : found.evidence());
    }

    /** Those that leave the CPU idle and those that use it up are never seen together. */
    static Stream<Arguments> pairs() {
        return Arrays.stream(Cause.values()).filter(one -> one != Cause.UNKNOWN).flatMap(first -> Arrays.stream(Cause.values())
                .filter(other -> other.compareTo(first) > 0 && other != Cause.UNKNOWN).map(other -> Arguments.of(first, other)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void ofTwoOneIsNamedAndItIsNeverSurerThanAlone(Cause first, Cause other) {
        for (boolean reversed : new boolean[] {false, true}) {
            neighbour = false;
            CauseFinding found = find(reversed ? of(first).apply(of(other).apply(usual())) : of(other).apply(of(first).apply(usual())));
            assertThat(found.cause()).as(found.describe()).isIn(first, other, neighbour ? Cause.NEIGHBOUR : first);
            boolean both = found.evidence().stream().anyMatch(line -> line.startsWith("also "));
            assertThat(found.confidence()).as(found.describe()).isEqualTo(both ? Confidence.MEDIUM : Confidence.HIGH);
            assertThat(!both || found.cause() == first).as("the earlier one explains the later: " + found.describe()).isTrue();
        }
    }

    /** Whatever is missing, no other cause is named in its place with the confidence of one that is measured. */
    @ParameterizedTest
    @EnumSource(Cause.class)
    void aMissingMetricLowersTheConfidenceOrLeavesTheCauseUnknown(Cause cause) {
        for (Metric metric : Metric.values()) {
            if (!metric.derived()) {
                CauseFinding found = find(of(cause).apply(usual()).set(metric, Double.NaN));
                assertThat(found.cause() == cause || found.confidence() != Confidence.HIGH || found.cause() == Cause.UNKNOWN)
                        .as(metric + ": " + found.describe()).isTrue();
            }
        }
        CauseFinding blank = find(Sample.at(Instant.EPOCH));
        assertThat(blank.cause()).isEqualTo(neighbour ? Cause.NEIGHBOUR : Cause.UNKNOWN);
    }

    @Test
    void aCrowdFromNewAddressesThatAsksForAFewPagesIsNoCrawler() {
        assertThat(find(of(Cause.SURGE).apply(usual()).set(Metric.NEW_ADDRESSES, 0.8).set(Metric.NO_COOKIE, 0.9).set(Metric.PAGE_SPREAD, 0.05))
                .cause()).isEqualTo(Cause.SURGE);
    }

    @Test
    void oneAddressThatFetchesEverythingIsACrawler() {
        CauseFinding found = find(usual().set(Metric.CPU_UTIL, 1).set(Metric.PAGES_PER_ADDRESS, 9));
        assertThat(found.cause()).isEqualTo(Cause.CRAWLERS);
        assertThat(found.describe()).contains("9 different pages an address (usually 2)");
    }

    @Test
    void dearerRequestsWithoutClientDataAreUnknown() {
        CauseFinding found = find(usual().set(Metric.CPU_UTIL, 1).set(Metric.THROUGHPUT, 75).set(Metric.COST_PER_MIX, Double.NaN)
                .set(Metric.NEW_ADDRESSES, Double.NaN));
        assertThat(found.cause()).isEqualTo(Cause.UNKNOWN);
        assertThat(found.describe()).startsWith("unknown (a request takes 2.22 times the usual CPU: dearer pages, crawlers");
    }
}
