// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.MoveCommand;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the file may say, and what it is told when it says something else. */
class HostConfigReaderTest {

    private static final Path FILE = Path.of("/etc/ic2/host.yaml");

    private static final String WHOLE = """
            backend: {type: cgroup, groups: machine.slice}
            mode: act
            reserve: {memory: 512MiB, cpus: 1}
            guests:
              web: {class: LS1, memory: [230MiB, 1GiB], cpu: [0.1, 0.9], response-time: 100ms}
              db: {class: LS2, memory: [512MiB, 2GiB], cpu: [0.1, 1.5], waits: spin}
              "*": {class: LS3}
            controllers:
              joint: {guests: [web, db], knobs: [cap, memory], law: paper, arbiter: paper, memory-target: 0.8, period: 4s, take: always,
                      response-time: {gain: 0.2, range: [0.6, 0.9], period: 20s}}
              schedule: {knobs: [weight], library: regions.json, period: 10s, confirm: 3}
            safety: {actions-per-hour: 100, on-exit: restore}
            journal: /tmp/x/journal.jsonl
            http: {listen: "127.0.0.1:9465"}
            contract: {type: directory, path: words}
            """;

    private static HostConfig parse(String text) throws ConfigException {
        return HostConfigReader.parse(FILE, text);
    }

    @Test
    void everyKeyIsRead() throws Exception {
        HostConfig config = parse(WHOLE);

        assertThat(config.backend()).isEqualTo(new BackendChoice.Cgroup("machine.slice", java.util.Optional.empty()));
        assertThat(config.mode()).isEqualTo(Mode.ACT);
        assertThat(config.reserveMemory()).isEqualTo(512L << 20);
        assertThat(config.reserveCpus()).isEqualTo(1);
        assertThat(config.rule("web").memory()).contains(new GuestRule.MemoryRange(230L << 20, 1L << 30));
        assertThat(config.rule("web").responseTime()).contains(Duration.ofMillis(100));
        assertThat(config.rule("db").waits()).contains(GuestWaits.SPIN);
        assertThat(config.rule("web").waits()).isEmpty();
        assertThatThrownBy(() -> parse("backend: {type: xen}\nguests: {a: {waits: often}}\n")).hasMessageContaining(":2")
                .hasMessageContaining("waits: expected spin, block, none, got \"often\"");
        assertThat(config.rule("somebody").guestClass()).isEqualTo(GuestClass.LS3);
        JointConfig joint = config.joint().orElseThrow();
        assertThat(joint).isEqualTo(new JointConfig(List.of("web", "db"), java.util.Set.of(KnobKind.CAP, KnobKind.MEMORY), true, true,
                0.8, Duration.ofSeconds(4), 0.2, 0.6, 0.9, Duration.ofSeconds(20), true, "/etc/ic2/host.yaml:9: controllers.joint.knobs"));
        assertThat(config.schedule()).contains(new ScheduleConfig(java.util.Set.of(KnobKind.WEIGHT), Path.of("/etc/ic2/regions.json"),
                Duration.ofSeconds(10), 3, "/etc/ic2/host.yaml:11: controllers.schedule.knobs"));
        assertThat(config.actionsPerHour()).isEqualTo(100);
        assertThat(config.snapshot()).isEqualTo(Path.of("/tmp/x/snapshot.json"));
        assertThat(config.listen().orElseThrow().getPort()).isEqualTo(9465);
        assertThat(config.contract()).contains(new ContractChoice.Directory(Path.of("/etc/ic2/words"),
                "/etc/ic2/host.yaml:15: contract.path"));
    }

    @Test
    void theBudgetIsThatOfAllTurnsUnlessItIsSaid() throws Exception {
        String joint = "backend: {type: xen}\nguests: {web: {class: LS1, memory: [1GiB, 2GiB], cpu: [0.1, 1]}}\ncontrollers: {joint: {guests: [web]%s}}\n";

        assertThat(parse(joint.formatted("")).actionsPerHour()).isEqualTo(3600);
        assertThat(parse(joint.formatted(", period: 1s")).actionsPerHour()).isEqualTo(10_800);
        assertThat(parse(joint.formatted(", period: 10m")).actionsPerHour()).isEqualTo(600);
        HostConfig little = parse(joint.formatted("") + "safety: {actions-per-hour: 600}\n");
        assertThat(little.actionsPerHour()).isEqualTo(600);
        assertThat(little.shortBudget()).hasValueSatisfying(why -> assertThat(why).startsWith("safety.actions-per-hour 600: ").contains("3600"));
    }

    @Test
    void whatIsLeftOutHasItsDefault() throws Exception {
        HostConfig config = parse("backend: {type: xen}\n");

        assertThat(config.mode()).isEqualTo(Mode.ADVISE);
        assertThat(config.actionsPerHour()).isEqualTo(600);
        assertThat(config.shortBudget()).isEmpty();
        assertThat(config.journal()).isEqualTo(Path.of("/var/lib/ic2-host/journal.jsonl"));
        assertThat(config.joint()).isEmpty();
        assertThat(config.listen()).isEmpty();
        assertThat(config.contract()).isEmpty();
        assertThat(config.rule("any").guestClass()).isEqualTo(GuestClass.NLS);
    }

    @Test
    void pathsAreRelativeToTheFile() throws Exception {
        assertThat(parse("backend: {type: cgroup, groups: g, qmp: q}\n").backend()).isEqualTo(new BackendChoice.Cgroup("g", Optional.of("/etc/ic2/q")));
        assertThat(parse("backend: {type: cgroup, groups: g, qmp: /run/q}\n").backend()).isEqualTo(new BackendChoice.Cgroup("g", Optional.of("/run/q")));
    }

    @Test
    void aGuestGetsWhatIsSaidOfItAndTheHostStaysTheHost() throws Exception {
        HostConfig config = parse(WHOLE);
        Guest found = new Guest("3", "u", "web", 2, 1, 2, GuestClass.NLS, Double.NaN, Double.NaN);
        Guest dom0 = new Guest("0", "v", "web", 2, 1, 2, GuestClass.HOST, Double.NaN, Double.NaN);

        assertThat(config.merged(List.of(found)).get(0)).isEqualTo(new Guest("3", "u", "web", 2, 230L << 20, 1L << 30, GuestClass.LS1,
                0.1, Double.NaN));
        assertThat(config.merged(List.of(dom0)).get(0).guestClass()).isEqualTo(GuestClass.HOST);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "mode: act|mode: atc|host.yaml:2: mode: expected observe, advise or act, got \"atc\"",
        "type: cgroup|type: kvm|host.yaml:1: backend.type: expected one of xen, cgroup, libvirt, replay, fake, got \"kvm\"",
        "groups: machine.slice|group: machine.slice|host.yaml:1: backend.groups: missing",
        "512MiB, cpus|512MB, cpus|host.yaml:3: reserve.memory: expected a whole number with its unit",
        "class: LS1|class: LS9|host.yaml:5: guests.web.class: expected HOST, LS1, LS2, LS3 or NLS, got \"LS9\"",
        "[230MiB, 1GiB]|[1GiB, 230MiB]|host.yaml:5: guests.web.memory: expected [least, most]",
        "[0.1, 0.9]|[0, 0.9]|host.yaml:5: guests.web.cpu: expected a number above 0, got \"0\"",
        "`cpu: [0.1, 0.9], `|``|host.yaml:9: controllers.joint.guests: expected guests whose cpu and memory are said",
        "{class: LS3}|{class: LS3, cpu: [1, 2]}|host.yaml:7: guests.*: expected a class alone",
        "guests: [web, db]|guests: [web, nobody]|host.yaml:9: controllers.joint.guests: expected guests whose cpu and memory",
        "[cap, memory]|[cap, weight]|host.yaml:9: controllers.joint.knobs: expected some of [cap, memory], got \"weight\"",
        "law: paper|law: mine|host.yaml:9: controllers.joint.law: expected one of asymmetric, paper, got \"mine\"",
        "memory-target: 0.8|memory-target: 1.8|host.yaml:9: controllers.joint.memory-target: expected a share above 0, up to 1",
        "gain: 0.2|gain: 0|host.yaml:10: controllers.joint.response-time.gain: expected a number above 0, got 0.0",
        "period: 4s|period: 4ms|host.yaml:9: controllers.joint.period: expected at least 1s, got 4ms",
        "confirm: 3|confirm: 0|host.yaml:11: controllers.schedule.confirm: expected 1 to 1000, got 0",
        "schedule: {|placing: {|host.yaml:11: controllers.placing: unknown key; expected one of joint, schedule, placement",
        "on-exit: restore|on-exit: keep|host.yaml:12: safety.on-exit: expected one of restore, got \"keep\"",
        "127.0.0.1:9465|0.0.0.0:9465|host.yaml:14: http.listen: expected a loopback address",
        "type: directory, path: words|type: xenstore|host.yaml:15: contract.type: xenstore is Xen's; with backend cgroup expected directory",
        "type: directory, path: words|type: pigeon|host.yaml:15: contract.type: expected directory, file or xenstore, got \"pigeon\"",
        "type: directory, path: words|type: directory|host.yaml:15: contract.path: missing",
        "type: directory, path: words|`type: file, guest: nobody, notice: n, tenant: t`|host.yaml:15: contract.guest: expected a guest that",
        "mode: act|mod: act|host.yaml:2: mod: unknown key",
    })
    void whatIsWrongIsNamedWithItsLine(String right, String wrong, String message) {
        assertThat(WHOLE).contains(right);
        assertThatThrownBy(() -> parse(WHOLE.replaceFirst(java.util.regex.Pattern.quote(right),
                java.util.regex.Matcher.quoteReplacement(wrong)))).isInstanceOf(ConfigException.class).hasMessageContaining(message);
    }

    @Test
    void whatCarriesWordsCanBeFilesOrXenstore() throws Exception {
        assertThat(parse("backend: {type: xen}\nguests: {web: {}}\ncontract: {type: xenstore}\n").contract())
                .contains(new ContractChoice.Xenstore());
        assertThat(parse("backend: {type: xen}\nguests: {web: {}}\ncontract: {type: file, guest: web, notice: /run/n, tenant: t}\n")
                .contract()).contains(new ContractChoice.Files("web", Path.of("/run/n"), Path.of("/etc/ic2/t"),
                        "/etc/ic2/host.yaml:3: contract.notice", "/etc/ic2/host.yaml:3: contract.tenant"));
        assertThatThrownBy(() -> parse("backend: {type: xen}\ncontract: {type: xenstore}\n")).hasMessageContaining(
                "host.yaml:2: contract.type: expected guests to be named");
    }

    @Test
    void placementIsReadWithItsDefaults() throws Exception {
        PlacementConfig placement = parse("backend: {type: xen}\ncontrollers: {placement: {}}\n").placement().orElseThrow();
        assertThat(placement).isEqualTo(new PlacementConfig(PlacementConfig.Realise.AFFINITY,
                new IntensityChoice(IntensityChoice.Source.DECLARED, 1), 0.35, 0.5, Duration.ofSeconds(15), Optional.empty(),
                Optional.empty(), Optional.empty(), Duration.ofMinutes(15), Optional.empty()));
        HostConfig whole = parse("""
                backend: {type: xen}
                guests: {batch: {intensity: 0.9}, "*": {intensity: 0.1}}
                controllers:
                  placement: {knobs: [affinity], realise: cpupool, intensity: {type: resctrl, full: 4GiB}, memory-intensive: [0.2, 0.4],
                              period: 30s}
                """);
        assertThat(whole.placement()).contains(new PlacementConfig(PlacementConfig.Realise.CPUPOOL,
                new IntensityChoice(IntensityChoice.Source.RESCTRL, 4.0 * (1L << 30)), 0.2, 0.4, Duration.ofSeconds(30), Optional.empty(),
                Optional.empty(), Optional.empty(), Duration.ofMinutes(15), Optional.empty()));
        Guest found = new Guest("3", "u", "batch", 2, 1, 2, GuestClass.NLS, Double.NaN, Double.NaN);
        assertThat(whole.merged(List.of(found)).get(0).intensity()).isEqualTo(0.9);
        assertThat(whole.rule("any").intensity()).hasValue(0.1);
    }

    @Test
    void latencyFleetAndMigrationAreRead() throws Exception {
        PlacementConfig placement = parse("""
                backend: {type: xen}
                controllers:
                  placement:
                    latency: {service: affine, s0-us: 500, c-us: 1500, load: irq-max, irq-max: 30000, learn: 10m, threshold: 5ms}
                    fleet: fleet.yaml
                    migrate: [xl, migrate, "{id}", "{to}"]
                    migrate-deadline: 1h
                """).placement().orElseThrow();
        assertThat(placement.latency()).contains(new LatencyChoice(false, 500e-6, 1500e-6, false, 0, java.util.OptionalDouble.of(30_000),
                Duration.ofMinutes(10), 0.005));
        assertThat(placement.fleet()).contains(Path.of("/etc/ic2/fleet.yaml"));
        assertThat(placement.migrate()).contains(new MoveCommand(List.of("xl", "migrate", "{id}", "{to}")));
        assertThat(placement.deadline()).hasHours(1);
        assertThat(parse("backend: {type: xen}\ncontrollers: {placement: {latency: {service: paper, c-us: 2, load: irq-per-cpu, k-us: 3,"
                + " threshold: 1s}}}\n").placement().orElseThrow().latency()).contains(new LatencyChoice(true, 0, 2e-6, true, 3e-6,
                java.util.OptionalDouble.empty(), Duration.ZERO, 1));
    }

    @Test
    void pinningBesideWeightsKnowsItsLineForCredit1() throws Exception {
        String both = "backend: {type: xen}\ncontrollers:\n  schedule: {library: r.json}\n  placement:\n    realise: affinity\n";
        assertThat(parse(both).placement().orElseThrow().onCredit1().orElseThrow())
                .startsWith("/etc/ic2/host.yaml:5: controllers.placement.realise: this host's scheduler is Credit1")
                .contains("expected realise: cpupool");
        assertThat(parse(both.replace("realise: affinity", "realise: cpupool")).placement().orElseThrow().onCredit1()).isEmpty();
        assertThat(parse(both.replace("library", "knobs: [tslice], library")).placement().orElseThrow().onCredit1()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "knobs: [weight]|knobs: expected [affinity], got [weight]",
        "realise: pool|realise: expected one of affinity, cpupool, got \"pool\"",
        "intensity: {type: perf}|intensity.type: expected one of perf-sq, resctrl, declared, canary, got \"perf\"",
        "intensity: {type: backend}|intensity.type: expected one of perf-sq, resctrl, declared, canary, got \"backend\"",
        "intensity: {type: perf-sq}|intensity.full: missing",
        "intensity: {type: perf-sq, full: 0}|intensity.full: expected a number above 0",
        "intensity: {type: resctrl, full: 4}|intensity.full: expected a whole number with its unit",
        "intensity: {type: declared, full: 4}|intensity.full: unknown key",
        "memory-intensive: [0.5, 0.35]|memory-intensive: expected [least, most]",
        "period: 10ms|period: expected at least 1s",
        "fleet: f.yaml|fleet: expected latency beside it",
        "latency: {s0-us: 500, c-us: 100}|latency.threshold: missing",
        "latency: {s0-us: 500, c-us: 100, threshold: 0ms}|latency.threshold: expected more than nothing",
        "latency: {c-us: 100, threshold: 1ms}|latency.s0-us: missing",
        "latency: {service: paper, s0-us: 1, c-us: 100, threshold: 1ms}|latency.s0-us: unknown key",
        "latency: {s0-us: 0, c-us: 100, threshold: 1ms}|latency.s0-us: expected a number above 0",
        "latency: {s0-us: 1, c-us: 1, load: irq-per-cpu, threshold: 1ms}|latency.k-us: missing",
        "latency: {s0-us: 1, c-us: 1, k-us: 3, threshold: 1ms}|latency.k-us: unknown key",
        "latency: {s0-us: 1, c-us: 1, load: cpu, threshold: 1ms}|latency.load: expected one of irq-max, irq-per-cpu, got",
        "migrate: [m, '{id}', '{to}']|migrate: expected fleet beside it",
        "latency: {s0-us: 1, c-us: 1, threshold: 1ms}, fleet: f, migrate: [m]|migrate: expected {to} and one of {id}, {uuid} and {name}",
        "latency: {s0-us: 1, c-us: 1, threshold: 1ms}, fleet: f, migrate: ['{id}', '{to}']|migrate: expected a program",
        "latency: {s0-us: 1, c-us: 1, threshold: 1ms}, fleet: f, migrate: [m, '{id}', '{to}', '{at}']|migrate: expected {id}, {uuid}",
        "latency: {s0-us: 1, c-us: 1, threshold: 1ms}, fleet: f, migrate: m|migrate: expected a list",
        "latency: {s0-us: 1, c-us: 1, threshold: 1ms}, fleet: f, migrate: [m, '{id}', '{to}'], migrate-deadline: 0s|migrate-deadline: expected",
        "latency: {s0-us: 1, c-us: 1, threshold: 1ms}, fleet: f, migrate-deadline: 9s|migrate-deadline: unknown key",
        "period: 15s, pins: 3|pins: unknown key",
    })
    void whatIsWrongWithPlacementIsNamed(String wrong, String message) {
        assertThatThrownBy(() -> parse("backend: {type: xen}\ncontrollers:\n  placement: {" + wrong + "}\n"))
                .isInstanceOf(ConfigException.class).hasMessageStartingWith("/etc/ic2/host.yaml:3: controllers.placement." + message);
    }

    @Test
    void anIntensityIsAShare() {
        assertThatThrownBy(() -> parse("backend: {type: xen}\nguests: {a: {intensity: 1.1}}\n"))
                .hasMessageContaining("host.yaml:2: guests.a.intensity: expected a share from 0 to 1, got 1.1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"nothing", "[]", "backend: xen", "{", "a: b: c"})
    void garbageIsOneClearLine(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(ConfigException.class).hasMessageStartingWith("/etc/ic2/host.yaml:");
    }

    @Test
    void cacheAndBandwidthAreSaidByClass() throws Exception {
        HostConfig config = parse("backend: {type: libvirt}\ncache: {NLS: 2}\nbandwidth: {LS1: 90, NLS: 20}\n");
        assertThat(config.byClass()).isEqualTo(Map.of(KnobKind.CACHE, Map.of(GuestClass.NLS, 2),
                KnobKind.BANDWIDTH, Map.of(GuestClass.LS1, 90, GuestClass.NLS, 20)));
        assertThatThrownBy(() -> parse("backend: {type: libvirt}\nbandwidth: {NLS: 101}\n")).hasMessageContaining("host.yaml:2: bandwidth.NLS: expected 1 to 100");
        assertThatThrownBy(() -> parse("backend: {type: libvirt}\ncache: {NLS: 2}\ncontrollers: {placement: {intensity: {type: resctrl, full: 4GiB}}}\n"))
                .hasMessageContaining("host.yaml:2: cache: expected another controllers.placement.intensity than resctrl");
    }

    @Test
    void whatIsProtectedAndWhatDisksGiveAreSaidByClass() throws Exception {
        HostConfig config = parse("backend: {groups: tenants.slice}\nmemory-low: {LS1: 1GiB, NLS: 64MiB}\nio-weight: {LS1: 400, NLS: 50}\nio-max: {NLS: 30MiB}\n");
        assertThat(config.backend()).as("control groups, where nothing else is said").isEqualTo(new BackendChoice.Cgroup("tenants.slice", Optional.empty()));
        assertThat(config.byClass()).isEqualTo(Map.of(KnobKind.MEMORY_LOW, Map.of(GuestClass.LS1, 1024, GuestClass.NLS, 64),
                KnobKind.IO_WEIGHT, Map.of(GuestClass.LS1, 400, GuestClass.NLS, 50), KnobKind.IO_MAX, Map.of(GuestClass.NLS, 30)));
        for (String[] wrong : new String[][] {{"memory-low: {LS1: 512}", "memory-low.LS1: expected"}, {"memory-low: {LS1: 1000KiB}", "memory-low.LS1: expected whole MiB"},
            {"io-weight: {NLS: 10001}", "io-weight.NLS: expected 1 to 10000, got 10001"}, {"io-max: {NLS: 0MiB}", "io-max.NLS: expected"},
            {"memory-low: {LS1: 1MiB, NLS: 2MiB}", "memory-low.NLS: expected 1 to 1 MiB, got 2"}}) {
            assertThatThrownBy(() -> parse("backend: {groups: g}\n" + wrong[0] + "\n")).as(wrong[0]).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("host.yaml:2: " + wrong[1]);
        }
        assertThatThrownBy(() -> parse("backend: {}\n")).hasMessageContaining("backend.groups: missing");
    }

    @Test
    void weightsByClassFallWithTheClass() throws Exception {
        HostConfig config = parse("backend: {type: xen}\nweights: {HOST: 512, LS1: 2048, LS2: 1024, NLS: 256}\n");
        assertThat(config.weights()).isEqualTo(Map.of(GuestClass.HOST, 512, GuestClass.LS1, 2048, GuestClass.LS2, 1024, GuestClass.NLS, 256));
        assertThat(config.at("weights")).isEqualTo("/etc/ic2/host.yaml:2: weights");
        assertThat(parse("backend: {type: xen}\n").weights()).isEmpty();
        assertThat(config.actionsPerHour()).as("three for each of 240 turns").isEqualTo(720);
        assertThat(config.shortBudget()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{LS1: 100, NLS: 200} | weights.NLS: expected 1 to 100, got 200", "{} | weights: expected a value for some class",
        "{LS1: 0} | weights.LS1: expected 1 to 65535, got 0", "{LS4: 7} | weights.LS4: unknown key"})
    void otherWeightsAreErrors(String weights, String error) {
        assertThatThrownBy(() -> parse("backend: {type: xen}\nweights: " + weights + "\n")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("/etc/ic2/host.yaml:2: " + error);
    }

    @Test
    void weightsHaveOneOwner() throws Exception {
        HostConfig config = parse("backend: {type: xen}\nweights: {LS1: 512}\ncontrollers: {schedule: {library: regions.json}}\n");
        assertThatThrownBy(() -> org.ic2.host.loop.Controllers.owners(config)).isInstanceOf(ConfigException.class)
                .hasMessageContaining("both weights and schedule are to move weight");
    }
}
