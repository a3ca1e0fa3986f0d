// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.control.PoolAdvice;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.learn.Region;
import org.ic2.host.learn.RegionSettings;
import org.ic2.host.learn.Scaling;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Advice on hosts that must not be written to. */
class AdviserTest {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final String GUESTS = "guests: {web: {class: LS1, memory: [128MiB, 1GiB], cpu: [0.1, 0.9]}}\n";
    private static final String JOINT = "  joint: {guests: [web], knobs: [cap], take: always}\n";
    private static final String SCHEDULE = "  schedule: {library: regions.json}\n";

    @TempDir
    private Path directory;
    private Instant now = BEGIN;

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    /** A host that a test fails on that writes to it. */
    private record OnlyRead(Backend host) implements Backend {
        @Override
        public Capabilities capabilities() throws IOException, InterruptedException {
            return host.capabilities();
        }

        @Override
        public List<Guest> guests() throws IOException, InterruptedException {
            return host.guests();
        }

        @Override
        public List<Pool> pools() throws IOException, InterruptedException {
            return host.pools();
        }

        @Override
        public Map<String, String> membership() throws IOException, InterruptedException {
            return host.membership();
        }

        @Override
        public long memory() throws IOException, InterruptedException {
            return host.memory();
        }

        @Override
        public HostSample read(Instant time, Set<GuestMetric> wanted) throws IOException, InterruptedException {
            return host.read(time, wanted);
        }

        @Override
        public int get(GuestKnob knob) throws IOException, InterruptedException {
            return host.get(knob);
        }

        @Override
        public void set(GuestKnob knob, int value) {
            throw new AssertionError(knob.label() + " was set to " + value);
        }

        @Override
        public void putBack(GuestKnob knob, String exact) {
            throw new AssertionError(knob.label() + " was put back to " + exact);
        }

        @Override
        public Map<GuestKnob, String> objections(Map<GuestKnob, Integer> wanted) throws IOException, InterruptedException {
            return host.objections(wanted);
        }

        @Override
        public Duration settleTime(KnobKind kind) {
            return host.settleTime(kind);
        }

        @Override
        public void close() throws IOException {
            host.close();
        }
    }

    private HostConfig config(String controllers) throws Exception {
        return HostConfigReader.parse(directory.resolve("host.yaml"), "backend: {type: xen}\n" + GUESTS
                + (controllers.isEmpty() ? "" : "controllers:\n" + controllers) + "journal: journal.jsonl\n");
    }

    /** A host of two CPUs with two guests that use half of one each. */
    private static Backend halfBusy() {
        FakeBackend host = new FakeBackend();
        host.start("web", "1", GuestClass.NLS, 256, 0, 512);
        host.start("batch", "2", GuestClass.NLS, 256, 0, 512);
        host.hostMeasured.putAll(Map.of(HostMetric.CPU_UTIL, 0.5, HostMetric.VCPU_RATIO, 1.0, HostMetric.VM_COUNT, 2.0,
                HostMetric.NET_RATE, 0.0));
        return new OnlyRead(host);
    }

    /** Loads near that of this host, as far as the radius goes. */
    private void library(double radius, Optional<SchedulerVector> vector) throws Exception {
        Scaling asItIs = new Scaling(Scaling.Kind.NONE, List.of(0.0, 0.0, 0.0, 0.0), List.of(1.0, 1.0, 1.0, 1.0));
        Optional<RegionSettings> settings = vector.map(found -> new RegionSettings(found, 100, 80, 0.1, "a test"));
        Files.writeString(directory.resolve("regions.json"), LibraryJson.write(new Library(asItIs, 0.8, List.of(
                new Region(1, List.of(65.0, 1.0, 2.0, 0.0), radius, 100, settings),
                new Region(2, List.of(5.0, 9.0, 90.0, 900.0), radius, 100, Optional.empty())))));
    }

    private Advice advise(String controllers, Backend host) throws Exception {
        return Adviser.ofHost(config(controllers), host, clock, time -> now = now.plus(time));
    }

    @Test
    void theJointControllersValuesHaveFormulaAndNumbers() throws Exception {
        Advice advice = advise(JOINT, halfBusy());

        assertThat(Duration.between(BEGIN, now)).as("one period, and three looks at pools that tell nothing").hasSeconds(12);
        assertThat(advice.tells()).isTrue();
        Advice.Opinion joint = advice.opinions().get(0);
        assertThat(joint.controller()).isEqualTo("joint");
        assertThat(joint.region()).isEmpty();
        assertThat(joint.wanted()).singleElement().satisfies(wanted -> {
            assertThat(wanted.proposal().knob().label()).isEqualTo("web's cap");
            assertThat(wanted.proposal().value()).isBetween(100, 899);
            assertThat(wanted.proposal().why().formula()).isNotBlank();
            assertThat(wanted.proposal().why().numbers()).isNotEmpty();
            assertThat(wanted.inForce()).as("no limit").isZero();
            assertThat(wanted.next()).hasValueSatisfying(next -> assertThat(next).as("half of the most at least").isBetween(450, 900));
            assertThat(wanted.objection()).isEmpty();
        });
    }

    @Test
    void theRegionsSettingIsBesideWhatIsInForce() throws Exception {
        library(30, Optional.of(SchedulerVector.table3()));
        Advice advice = advise(JOINT + SCHEDULE, halfBusy());

        assertThat(Duration.between(BEGIN, now)).as("one period of the slower one, and three looks at pools that tell nothing").hasSeconds(24);
        assertThat(advice.opinions()).extracting(Advice.Opinion::controller).containsExactly("joint", "schedule");
        Advice.Opinion schedule = advice.opinions().get(1);
        assertThat(schedule.tells()).isTrue();
        assertThat(schedule.wanted()).as("one look confirms nothing").isEmpty();
        assertThat(schedule.held()).singleElement().asString().contains("confirmed 1 times of 5");
        Advice.InRegion region = schedule.region().orElseThrow();
        assertThat(region.place().region().number()).isEqualTo(1);
        assertThat(region.place().known()).isTrue();
        assertThat(region.load()).containsEntry("vm_count", 2.0).containsEntry("vcpu_ratio", 1.0);
        assertThat(region.settings()).extracting(one -> one.proposal().knob().label() + " " + one.inForce() + " " + one.proposal().value())
                .contains("pool's tslice 30 34", "web's weight 256 43008", "batch's weight 256 256");
    }

    @Test
    void oneLookSufficesWhereTheFileSaysSo() throws Exception {
        library(30, Optional.of(SchedulerVector.table3()));
        Advice advice = advise("  schedule: {library: regions.json, confirm: 1}\n", halfBusy());

        assertThat(advice.opinions().get(0).wanted()).isEqualTo(advice.opinions().get(0).region().orElseThrow().settings()).isNotEmpty();
    }

    @Test
    void unknownLoadAndARegionWithoutASettingChangeNothing() throws Exception {
        library(0.001, Optional.of(SchedulerVector.table3()));
        Advice.Opinion unknown = advise(SCHEDULE, halfBusy()).opinions().get(0);
        assertThat(unknown.tells()).isTrue();
        assertThat(unknown.region().orElseThrow().place().known()).isFalse();
        assertThat(unknown.region().orElseThrow().settings()).isEmpty();
        assertThat(unknown.held()).singleElement().asString().startsWith("unknown load");

        library(30, Optional.empty());
        assertThat(advise(SCHEDULE, halfBusy()).opinions().get(0).region().orElseThrow().settings()).isEmpty();
    }

    @Test
    void whatTheHostObjectsToIsSaid() throws Exception {
        FakeBackend host = new FakeBackend();
        host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        host.objection = Optional.of("its weight's share is below its cap");

        assertThat(advise(JOINT, new OnlyRead(host)).opinions().get(0).wanted()).singleElement().satisfies(wanted ->
                assertThat(wanted.objection()).contains("its weight's share is below its cap"));
    }

    @Test
    void minimaThatDoNotFitAreAnAlarm() throws Exception {
        FakeBackend host = new FakeBackend();
        host.start("web", "1", GuestClass.NLS, 256, 500, 900);
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"), "backend: {type: xen}\nreserve: {cpus: 1.95}\n" + GUESTS
                + "controllers:\n" + JOINT);
        Advice advice = Adviser.ofHost(config, new OnlyRead(host), clock, time -> now = now.plus(time));

        assertThat(advice.opinions().get(0).alarms()).singleElement().asString().startsWith("cap: the minima of web are 100");
        assertThat(advice.opinions().get(0).held()).isEmpty();
    }

    @Test
    void withoutWhatItDecidesByNobodyTells() throws Exception {
        FakeBackend host = new FakeBackend();
        host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        library(30, Optional.empty());
        Advice blind = advise(SCHEDULE, new OnlyRead(host));
        assertThat(blind.tells()).isFalse();
        assertThat(blind.opinions().get(0).region()).isEmpty();
        assertThat(blind.opinions().get(0).held()).contains("cpu.util: not measured");

        host.values.remove("cap web-1");
        now = BEGIN;
        Advice unread = advise(JOINT, new OnlyRead(host));
        assertThat(unread.tells()).isFalse();
        assertThat(unread.unread()).containsExactly("web's cap cannot be read: web's cap: no such guest");
        assertThat(unread.opinions().get(0).held()).containsExactly("web: cap: what is in force is not known");
        assertThat(Duration.between(BEGIN, now)).as("it was asked again for a while, and the pools three times").hasSeconds(21);
    }

    @Test
    void aHostThatCannotBeMeasuredOrLacksAKnobIsAnError() throws Exception {
        FakeBackend host = new FakeBackend();
        host.unreadable = true;
        assertThatThrownBy(() -> advise(JOINT, new OnlyRead(host))).isInstanceOf(IOException.class).hasMessage("no answer");
        host.ranges.remove(KnobKind.CAP);
        assertThatThrownBy(() -> advise(JOINT, new OnlyRead(host))).isInstanceOf(ConfigException.class)
                .hasMessageContaining("cap cannot be moved on this host");
        Advice without = advise("", new OnlyRead(host));
        assertThat(without.opinions()).isEmpty();
        assertThat(without.pools()).as("what cannot be measured is not known").singleElement().satisfies(pool -> {
            assertThat(pool.verdict()).isEqualTo(PoolAdvice.Verdict.UNKNOWN);
            assertThat(pool.tells()).containsExactly("what could not be measured: no answer");
        });
    }
}
