// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.resctrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.backend.cgroup.CgroupBackend;
import org.ic2.host.backend.intensity.IntensityBackend;
import org.ic2.host.backend.intensity.IntensityMeters;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a tree of files that keeps the rules of the kernel's: {@link FakeResctrl}. */
class ResctrlBackendTest {
    @TempDir
    Path directory;
    private PlayedHost host;
    private FakeResctrl resctrl;
    private final AtomicLong nanos = new AtomicLong();
    private Backend backend;

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemAvailable:    1048576 kB\nSwapFree: 0 kB\n");
        host.file("/proc/net/dev", "Inter-|\n face |bytes\n");
        host.file("/proc/vmstat", "oom_kill 0\n");
        host.file("/sys/fs/cgroup/lab/cgroup.controllers", "cpu\n");
        resctrl = new FakeResctrl(host);
        guest("batch", 71, 72);
        guest("web", 81);
        backend = open();
    }

    private Backend open() {
        return ResctrlBackend.of(new CgroupBackend(host, "lab"), host);
    }

    private void guest(String name, int... threads) {
        StringBuilder all = new StringBuilder();
        for (int thread : threads) {
            all.append(thread).append('\n');
            resctrl.thread(thread);
        }
        host.file("/sys/fs/cgroup/lab/" + name + "/cgroup.threads", all.toString());
        host.file("/sys/fs/cgroup/lab/" + name + "/cpu.stat", "usage_usec 0\n");
    }

    private GuestKnob knob(KnobKind kind, String name) throws Exception {
        return GuestKnob.of(kind, backend.guests().stream().filter(guest -> guest.name().equals(name)).findFirst().orElseThrow());
    }

    @Test
    void whatTheProcessorHasIsFound() throws Exception {
        assertThat(backend.capabilities().knobs().get(KnobKind.CACHE)).isEqualTo(new org.ic2.host.backend.Capabilities.Range(2, 10, 1));
        assertThat(backend.capabilities().knobs().get(KnobKind.BANDWIDTH)).isEqualTo(new org.ic2.host.backend.Capabilities.Range(10, 90, 10));
        host.file("/sys/fs/resctrl/schemata", "    MB:0=2048;1=2048\n    L3:0=7ff;1=7ff\n");
        assertThat(backend.capabilities().notes()).as("AMD counts otherwise").anyMatch(note -> note.startsWith("no bandwidth"));
        Files.delete(host.at("/sys/fs/resctrl/schemata"));
        assertThat(backend.capabilities().notes()).filteredOn(note -> note.startsWith("no cache and no bandwidth: no /sys/fs/resctrl")).hasSize(1)
                .allMatch(note -> !note.contains("\n"));
        assertThat(backend.capabilities().knobs()).doesNotContainKeys(KnobKind.CACHE, KnobKind.BANDWIDTH);
    }

    @Test
    void waysAndBandwidthAreReadBackAndPutBack() throws Exception {
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        GuestKnob bandwidth = knob(KnobKind.BANDWIDTH, "batch");
        assertThat(backend.get(cache)).isZero();
        String baseline = backend.exact(cache);
        backend.set(cache, 2);
        assertThat(backend.get(cache)).isEqualTo(2);
        assertThat(backend.get(bandwidth)).isZero();
        assertThat(resctrl.groupOf(71)).isEqualTo("ic2-c2-m0");
        assertThat(resctrl.groupOf(72)).isEqualTo("ic2-c2-m0");
        assertThat(resctrl.groupOf(81)).as("another guest").isEmpty();
        assertThat(host.read("/sys/fs/resctrl/ic2-c2-m0/schemata")).contains("L3:0=3;1=3").contains("MB:0=100;1=100");
        backend.set(bandwidth, 20);
        assertThat(backend.get(cache)).isEqualTo(2);
        assertThat(backend.get(bandwidth)).isEqualTo(20);
        assertThat(resctrl.groups()).as("the one before is empty, and goes").containsExactly("ic2-c2-m20");
        backend.putBack(cache, baseline);
        assertThat(backend.get(bandwidth)).isEqualTo(20);
        backend.putBack(bandwidth, baseline);
        assertThat(backend.get(cache)).isZero();
        assertThat(resctrl.groups()).isEmpty();
        assertThat(resctrl.groupOf(71)).isEmpty();
        assertThatThrownBy(() -> backend.putBack(cache, "all")).isInstanceOf(NotDoneException.class);
    }

    @Test
    void guestsOfOneSettingShareAGroup() throws Exception {
        backend.set(knob(KnobKind.CACHE, "batch"), 3);
        backend.set(knob(KnobKind.CACHE, "web"), 3);
        assertThat(resctrl.groups()).containsExactly("ic2-c3-m0");
        backend.set(knob(KnobKind.CACHE, "batch"), 0);
        assertThat(resctrl.groups()).as("one is still in it").containsExactly("ic2-c3-m0");
    }

    @Test
    void whatTheKernelRefusesIsSaidInItsWordsAndMovesNobody() throws Exception {
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        assertThatThrownBy(() -> backend.set(cache, 1)).isInstanceOf(NotDoneException.class).hasMessageContaining("Need at least 2 bits in the mask");
        assertThat(resctrl.groups()).as("nothing is left of it").isEmpty();
        assertThatThrownBy(() -> backend.set(cache, 12)).isInstanceOf(NotDoneException.class).hasMessageContaining("Mask out of range");
        assertThatThrownBy(() -> backend.set(knob(KnobKind.BANDWIDTH, "batch"), 5)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("MB value 5 out of range [10,100]");
        resctrl.closids = 1;
        assertThatThrownBy(() -> backend.set(cache, 4)).isInstanceOf(NotDoneException.class).hasMessageContaining("Out of CLOSIDs");
        assertThat(backend.get(cache)).isZero();
        assertThat(resctrl.groupOf(71)).isEmpty();
    }

    @Test
    void somebodyElsesGroupIsLeftAlone() throws Exception {
        resctrl.make("theirs");
        resctrl.put(72, "theirs");
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        assertThatThrownBy(() -> backend.get(cache)).isInstanceOf(IOException.class).hasMessageContaining("theirs").hasMessageContaining("somebody else's");
        assertThatThrownBy(() -> backend.set(cache, 2)).isInstanceOf(NotDoneException.class);
        assertThat(resctrl.groupOf(72)).isEqualTo("theirs");
        assertThat(resctrl.groups()).containsExactly("theirs");
    }

    @Test
    void whatSomebodyElseSetsInOurGroupIsSeen() throws Exception {
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        backend.set(cache, 2);
        host.write("/sys/fs/resctrl/ic2-c2-m0/schemata", "L3:0=f;1=f\n");
        assertThat(backend.get(cache)).isEqualTo(4);
        host.write("/sys/fs/resctrl/ic2-c2-m0/schemata", "L3:0=7;1=f\n");
        assertThatThrownBy(() -> backend.get(cache)).isInstanceOf(IOException.class).hasMessageContaining("expected the same of each cache");
    }

    @Test
    void whatIsNotUnderstoodIsAnErrorThatQuotesIt() throws Exception {
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        backend.set(cache, 2);
        for (String wrong : new String[] {"L3:0=zz;1=3", "L3:", "MB:0=;1=20", "L3:0=ffffffffffffffff;1=ffffffffffffffff", "MB:0=20=30"}) {
            host.file("/sys/fs/resctrl/ic2-c2-m0/schemata", wrong + "\n");
            assertThatThrownBy(() -> backend.get(cache)).as(wrong).isInstanceOf(IOException.class).hasMessageContaining("expected");
        }
        host.file("/proc/71/cpu_resctrl_groups", "nothing\n");
        assertThatThrownBy(() -> backend.get(cache)).isInstanceOf(IOException.class).hasMessageContaining("nothing");
        host.file("/sys/fs/resctrl/info/L3/min_cbm_bits", "many\n");
        assertThatThrownBy(() -> backend.capabilities()).isInstanceOf(IOException.class).hasMessageContaining("many");
    }

    @Test
    void threadsThatEndOrComeLaterAreNoTrouble() throws Exception {
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        resctrl.end(72);
        backend.set(cache, 2);
        assertThat(resctrl.groupOf(71)).isEqualTo("ic2-c2-m0");
        guest("batch", 71, 73);     // another process, started from outside
        resctrl.put(71, "ic2-c2-m0");
        backend.read(Instant.EPOCH, Set.of());
        assertThat(resctrl.groupOf(73)).isEqualTo("ic2-c2-m0");
    }

    @Test
    void aGuestThatIsGoneTakesNoOrder() throws Exception {
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        end("batch");
        assertThatThrownBy(() -> backend.set(cache, 2)).isInstanceOf(NotDoneException.class).hasMessageContaining("is gone");
        assertThat(resctrl.groups()).isEmpty();
    }

    /** As after kill -9: the next agent knows nothing but the snapshot. */
    @Test
    void theNextAgentPutsItBack() throws Exception {
        Map<KnobKind, Integer> away = Map.of(KnobKind.CACHE, 3, KnobKind.BANDWIDTH, 30);
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            Applier applier = applier(journal);
            List<Guest> guests = backend.guests();
            applier.observe(guests, backend.pools());
            List<KnobProposal> proposals = away.entrySet().stream().map(one -> new KnobProposal(GuestKnob.of(one.getKey(), guests.get(0)),
                    one.getValue(), "test", new Rationale("the test says so", Map.of()))).toList();
            assertThat(applier.apply("turn", proposals, 1 << 30).held()).isEmpty();
        }
        assertThat(resctrl.groupOf(71)).isEqualTo("ic2-c3-m30");
        backend = open();
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            RestoreResult result = applier(journal).restore("end", ChangeRequest.Origin.OPERATOR, "the test says so");
            assertThat(result.problems()).isEmpty();
            assertThat(result.restored()).hasSize(2);
        }
        assertThat(resctrl.groupOf(71)).isEmpty();
        assertThat(resctrl.groupOf(72)).isEmpty();
        assertThat(resctrl.groups()).isEmpty();
    }

    @Test
    void aGuestThatEndsLeavesNoGroup() throws Exception {
        backend.set(knob(KnobKind.CACHE, "batch"), 3);
        backend.read(Instant.EPOCH, Set.of());
        resctrl.end(71);
        resctrl.end(72);
        end("batch");
        backend.read(Instant.EPOCH, Set.of());
        assertThat(resctrl.groups()).isEmpty();
    }

    private void end(String name) throws IOException {
        for (String file : new String[] {"cgroup.threads", "cpu.stat", ""}) {
            Files.delete(host.at("/sys/fs/cgroup/lab/" + name + "/" + file));
        }
    }

    /** As after kill -9, when the guest has ended before the next agent came. */
    @Test
    void restoringAnEndedGuestLeavesNoGroup() throws Exception {
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            Applier applier = applier(journal);
            List<Guest> guests = backend.guests();
            applier.observe(guests, backend.pools());
            applier.apply("turn", List.of(new KnobProposal(knob(KnobKind.CACHE, "batch"), 3, "test", new Rationale("the test says so", Map.of()))), 1 << 30);
        }
        assertThat(resctrl.groups()).containsExactly("ic2-c3-m0");
        resctrl.make("theirs");
        resctrl.end(71);
        resctrl.end(72);
        end("batch");
        backend = open();
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            assertThat(applier(journal).restore("end", ChangeRequest.Origin.OPERATOR, "the test says so").problems()).isEmpty();
        }
        assertThat(resctrl.groups()).as("somebody else's empty one stays").containsExactly("theirs");
    }

    /** The guest's threads in a monitoring group that somebody has made inside our control group. */
    private void watchedByOthers() throws Exception {
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            Applier applier = applier(journal);
            applier.observe(backend.guests(), backend.pools());
            List<KnobProposal> proposals = List.of(proposal(KnobKind.CACHE, 3), proposal(KnobKind.BANDWIDTH, 30));
            assertThat(applier.apply("turn", proposals, 1 << 30).held()).isEmpty();
        }
        host.run(List.of("mkdir", "/sys/fs/resctrl/ic2-c3-m30/mon_groups/theirs"), java.time.Duration.ofSeconds(1));
        host.write("/sys/fs/resctrl/ic2-c3-m30/mon_groups/theirs/tasks", "72");
        assertThat(resctrl.monitorOf(72)).isEqualTo("theirs");
    }

    private KnobProposal proposal(KnobKind kind, int value) throws Exception {
        return new KnobProposal(knob(kind, "batch"), value, "test", new Rationale("the test says so", Map.of()));
    }

    @Test
    void whoCountsInOurGroupPreventsNoRestore() throws Exception {
        watchedByOthers();
        assertThat(backend.get(knob(KnobKind.CACHE, "batch"))).as("the control group is ours all the same").isEqualTo(3);
        backend = open();
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            RestoreResult result = applier(journal).restore("end", ChangeRequest.Origin.OPERATOR, "the test says so");
            assertThat(result.problems()).isEmpty();
            assertThat(result.foreign()).isEmpty();
            assertThat(result.restored()).hasSize(2);
        }
        assertThat(resctrl.groupOf(71)).isEmpty();
        assertThat(resctrl.groupOf(72)).isEmpty();
        assertThat(resctrl.groups()).isEmpty();
    }

    @Test
    void whoCountsInOurGroupGoesOnUntilTheRestore() throws Exception {
        watchedByOthers();
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            Applier applier = applier(journal);
            applier.observe(backend.guests(), backend.pools());
            assertThat(applier.apply("turn", List.of(proposal(KnobKind.CACHE, 4)), 1 << 30).held()).singleElement().asString()
                    .contains("the group ic2-c3-m30 theirs of resctrl, which is somebody else's");
        }
        assertThat(resctrl.monitorOf(72)).isEqualTo("theirs");
        assertThat(resctrl.groupOf(71)).as("nobody has moved").isEqualTo("ic2-c3-m30");
        guest("batch", 71, 72, 73);     // a thread that somebody starts and counts outside of it
        resctrl.put(71, "ic2-c3-m30");
        resctrl.put(72, "");
        host.run(List.of("mkdir", "/sys/fs/resctrl/mon_groups/theirs"), java.time.Duration.ofSeconds(1));
        host.write("/sys/fs/resctrl/mon_groups/theirs/tasks", "72");
        backend.putBack(knob(KnobKind.CACHE, "batch"), "0");
        backend.putBack(knob(KnobKind.BANDWIDTH, "batch"), "0");
        assertThat(resctrl.groupOf(71)).isEmpty();
        assertThat(resctrl.monitorOf(72)).as("who is there already is not moved").isEqualTo("theirs");
    }

    private double traffic(Backend metered, String name) throws Exception {
        nanos.addAndGet(1_000_000_000L);
        HostSample sample = metered.read(Instant.EPOCH, Set.of(GuestMetric.MEM_INTENSITY));
        Guest guest = sample.guests().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
        return sample.byUuid().get(guest.uuid()).get(GuestMetric.MEM_INTENSITY);
    }

    /** A monitoring group takes threads of its own control group alone, and loses those that the knob moves. */
    @Test
    void aMeterBesideTheKnobCountsOnWhereverTheKnobPutsAGuest() throws Exception {
        Backend metered = IntensityBackend.of(backend, IntensityMeters.of("resctrl", host, nanos::get, true), guests -> guests);
        traffic(metered, "batch");
        String monitor = resctrl.monitorOf(71);
        assertThat(monitor).startsWith("ic2-");
        assertThat(resctrl.monitors()).contains("mon_groups/" + monitor).hasSize(2);
        for (int ways = 2; ways < 5; ways++) {
            metered.set(knob(KnobKind.CACHE, "batch"), ways);
            assertThat(metered.get(knob(KnobKind.CACHE, "batch"))).isEqualTo(ways);
            String path = "ic2-c" + ways + "-m0/mon_groups/" + monitor;
            assertThat(traffic(metered, "batch")).as("begun anew").isNaN();
            assertThat(resctrl.monitors()).contains(path).hasSize(2);
            assertThat(resctrl.monitorOf(72)).isEqualTo(monitor);
            assertThat(resctrl.groupOf(72)).as("the knob's").isEqualTo("ic2-c" + ways + "-m0");
            resctrl.counts(path, 5_000_000);
            assertThat(traffic(metered, "batch")).isEqualTo(5_000_000);
        }
        metered.set(knob(KnobKind.CACHE, "batch"), 0);
        traffic(metered, "batch");
        assertThat(resctrl.groups()).isEmpty();
        assertThat(resctrl.monitors()).contains("mon_groups/" + monitor).hasSize(2);
        metered.close();
        assertThat(resctrl.monitors()).isEmpty();
    }

    @Test
    void whomSomebodyElseWatchesTheMeterLeavesToHim() throws Exception {
        Backend metered = IntensityBackend.of(backend, IntensityMeters.of("resctrl", host, nanos::get, true), guests -> guests);
        host.run(List.of("mkdir", "/sys/fs/resctrl/mon_groups/theirs"), java.time.Duration.ofSeconds(1));
        host.write("/sys/fs/resctrl/mon_groups/theirs/tasks", "72");
        assertThat(traffic(metered, "batch")).isNaN();
        assertThat(resctrl.monitorOf(72)).isEqualTo("theirs");
        assertThat(resctrl.monitorOf(71)).as("nor half of it").isEmpty();
        GuestKnob cache = knob(KnobKind.CACHE, "batch");
        assertThatThrownBy(() -> metered.set(cache, 2)).as("the knob would take it from there").isInstanceOf(NotDoneException.class)
                .hasMessageContaining("the group theirs of resctrl, which is somebody else's");
        assertThat(resctrl.monitorOf(72)).isEqualTo("theirs");
        resctrl.put(72, "");
        resctrl.make("jail");
        resctrl.put(71, "jail");
        resctrl.put(72, "jail");
        assertThat(traffic(metered, "batch")).isNaN();
        assertThat(resctrl.monitors()).noneMatch(path -> path.startsWith("jail"));
        resctrl.put(72, "");
        assertThat(traffic(metered, "batch")).as("its threads are in two").isNaN();
    }

    private Applier applier(Journal journal) throws Exception {
        return new Applier(new ApplierParts(backend, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                new Ownership(List.of(new Claim("test", Set.of(KnobKind.CACHE, KnobKind.BANDWIDTH), Set.of()))),
                new KnobLimits(backend.capabilities().knobs(), Map.of()), 1000, false, Clock.systemUTC(), System::nanoTime));
    }
}
