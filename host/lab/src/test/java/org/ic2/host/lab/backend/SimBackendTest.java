// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimBackendTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final String HOST = """
            memory: 2GiB
            pools: {p: {cpus: 1}}
            guests:
              a: {work: {type: burner}}
              b: {cap: 0.2, work: {type: burner}}
            """;

    @TempDir
    private Path folder;

    private SimBackend open(String text) throws IOException, ConfigException {
        return SimBackend.open(Files.writeString(folder.resolve("host.yaml"), text));
    }

    private static String example() throws IOException {
        try (InputStream in = SimBackend.class.getResourceAsStream("example.yaml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Guest guest(SimBackend backend, String name) {
        return backend.guests().stream().filter(guest -> guest.name().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void timePassesAsItIsRead() throws Exception {
        SimBackend backend = open(HOST);
        assertThat(backend.read(BEGIN, Set.of()).get(guest(backend, "a"), GuestMetric.CPU_RUN)).isNaN();
        HostSample sample = backend.read(BEGIN.plusSeconds(30), Set.of());

        assertThat(sample.interval()).hasSeconds(30);
        assertThat(sample.get(guest(backend, "a"), GuestMetric.CPU_RUN)).isCloseTo(0.8, within(0.03));
        assertThat(sample.get(guest(backend, "b"), GuestMetric.CPU_THROTTLED)).isGreaterThan(0.1);

        GuestKnob cap = GuestKnob.of(KnobKind.CAP, guest(backend, "b"));
        backend.set(cap, 0);
        sample = backend.read(BEGIN.plusSeconds(60), Set.of());
        assertThat(backend.get(cap)).isZero();
        assertThat(sample.get(guest(backend, "b"), GuestMetric.CPU_RUN)).isCloseTo(0.5, within(0.03));
        assertThat(backend.read(BEGIN, Set.of()).interval()).as("a clock that was set back").isZero();
    }

    @Test
    void twoOfTheSameFileTellTheSame() throws Exception {
        SimBackend one = open(example());
        SimBackend two = open(example());
        for (int i = 0; i <= 3; i++) {
            Instant now = BEGIN.plusSeconds(3L * i);
            assertThat(one.read(now, Set.of()).toString()).isEqualTo(two.read(now, Set.of()).toString());
        }
        assertThat(guest(one, "busy3").vcpus()).isEqualTo(2);
        assertThat(one.capabilities().notes()).singleElement().asString().startsWith("batch is pinned");
        HostSample sample = one.read(BEGIN.plusSeconds(20), Set.of());
        assertThat(sample.get(guest(one, "web"), GuestMetric.APP_REQUESTS)).isGreaterThan(1000);
        assertThat(sample.get(guest(one, "shop"), GuestMetric.MEM_USED)).isEqualTo(300 << 20);
        assertThat(sample.get(guest(one, "ranks"), GuestMetric.CPU_RUN)).isCloseTo(1, within(0.01));
    }

    @Test
    void whoAsksMuchOfTheMemoryHasAnIntensityAndSlowsDownTheOthers() throws Exception {
        String host = """
                memory: 4GiB
                pools: {p: {cpus: 4}}
                guests:
                  one: {memory-use: lbm, work: {type: burner}}
                  little: {memory-use: sjeng, work: {type: burner}}
                  none: {work: {type: burner}}
                """;
        SimBackend few = open(host);
        SimBackend many = open(host.replace("  none: {", "  more: {count: 2, memory-use: lbm, work: {type: burner}}\n  none: {"));
        for (SimBackend each : List.of(few, many)) {
            each.read(BEGIN, Set.of());
        }
        HostSample alone = few.read(BEGIN.plusSeconds(5), Set.of());
        HostSample beside = many.read(BEGIN.plusSeconds(5), Set.of());

        assertThat(few.capabilities().metrics()).containsKey(GuestMetric.MEM_INTENSITY);
        assertThat(alone.get(guest(few, "one"), GuestMetric.MEM_INTENSITY)).isCloseTo(1, within(0.2));
        assertThat(alone.get(guest(few, "little"), GuestMetric.MEM_INTENSITY)).isBetween(0.0001, 0.1);
        assertThat(alone.get(guest(few, "none"), GuestMetric.MEM_INTENSITY)).isZero();
        assertThat(beside.get(guest(many, "little"), GuestMetric.MEM_INTENSITY))
                .isGreaterThan(1.1 * alone.get(guest(few, "little"), GuestMetric.MEM_INTENSITY));
        SimBackend plain = open(HOST);
        plain.read(BEGIN, Set.of());
        HostSample without = plain.read(BEGIN.plusSeconds(1), Set.of());
        assertThat(without.why(guest(plain, "a"), GuestMetric.MEM_INTENSITY)).isEqualTo("no guest of the scenario has a memory-use");
        assertThat(plain.capabilities().metrics()).doesNotContainKey(GuestMetric.MEM_INTENSITY);
    }

    @Test
    void everyValueThatItOffersIsInForceOnceItIsSet() throws Exception {
        SimBackend backend = open(HOST);
        Guest guest = guest(backend, "a");
        backend.capabilities().knobs().forEach((kind, range) -> {
            GuestKnob knob = kind.ofPool() ? GuestKnob.of(kind, backend.pools().get(0)) : GuestKnob.all(kind, guest).get(0);
            int value = kind == KnobKind.MEMORY ? 300 : kind == KnobKind.RATELIMIT ? 700 : range.lowest();
            try {
                if (kind == KnobKind.TSLICE) {
                    backend.set(GuestKnob.of(KnobKind.RATELIMIT, backend.pools().get(0)), 500);
                }
                backend.set(knob, value);
                assertThat(backend.get(knob)).as(kind.key()).isEqualTo(value);
            } catch (IOException e) {
                throw new AssertionError(kind.key(), e);
            }
        });
        assertThatThrownBy(() -> backend.set(GuestKnob.of(KnobKind.WEIGHT, guest), 70_000)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("a: weight: expected 1 to 65535, got 70000");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "memory: 2GiB | memory: much | host.yaml:1: memory: expected a whole number with its unit",
        "memory: 2GiB | memory: 512MiB | host.yaml:1: memory: expected at least the memory that the guests have at first, 1536",
        "cpus: 1 | cpus: 0 | host.yaml:2: pools.p.cpus: expected at least 1, got 0",
        "cpus: 1 | cpus: 1, tslice: 5, ratelimit: 9000 | host.yaml:2: pools.p.tslice: rate limit: expected at most the time",
        "cpus: 1 | cpus: 1, scheduler: cfs | host.yaml:2: pools.p.scheduler: expected one of credit, credit2, got",
        "cpus: 1 | cpus: 1, scheduler: credit2, tslice: 5 | host.yaml:2: pools.p.tslice: Credit2 has no time slice",
        "cap: 0.2 | cap: 2 | host.yaml:5: guests.b.memory: b: cap: expected 0 to 1000, got 2000",
        "cap: 0.2 | cap: -1 | host.yaml:5: guests.b.cap: expected CPUs, 0.01 or more, or 0 for none, got -1.0",
        "cap: 0.2 | weight: 0 | host.yaml:5: guests.b.memory: b: weight: expected 1 to 65535, got 0",
        "cap: 0.2 | pins: [1] | host.yaml:5: guests.b.pins: expected CPUs 0 to 0 of p, got \"1\"",
        "cap: 0.2 | pool: q | host.yaml:5: guests.b.pool: expected one of p, got \"q\"",
        "cap: 0.2 | memory-use: mcf | `host.yaml:5: guests.b.memory-use: expected one of cache, gems, lbm, sjeng, zeusmp, got \"mcf\"`",
        "cap: 0.2 | speed: 3 | host.yaml:5: guests.b.speed: unknown key",
        "cap: 0.2 | count: 1000 | host.yaml:5: guests.b: expected at most 500 guests together, got 1001",
        "type: burner}}\\n  b | type: nap}}\\n  b | host.yaml:4: guests.a.work.type: expected one of idle, burner",
        "type: burner}}\\n  b | type: duty, duty: 2}}\\n  b | host.yaml:4: guests.a.work.duty: expected 0 to 1, got 2.0",
        "type: burner}}\\n  b | type: server, users: 1, cpu-ms: 0}}\\n  b | guests.a.work.cpu-ms: expected more than 0",
        "type: burner}}\\n  b | type: memaccess, rate: 1x, heap: 1MiB, cpu-ms: 1}}\\n  b | guests.a.work.rate: expected a number",
        "  a: | Domain-0: | `host.yaml:4: guests.Domain-0: expected a name of its own, got a second Domain-0`"})
    void namesWhatIsWrong(String from, String to, String message) {
        String text = HOST.replace(from.replace("\\n", "\n").strip(), to.replace("\\n", "\n").strip());
        assertThat(text).isNotEqualTo(HOST);
        assertThatThrownBy(() -> open(text)).isInstanceOf(ConfigException.class).hasMessageContaining(message);
    }
}
