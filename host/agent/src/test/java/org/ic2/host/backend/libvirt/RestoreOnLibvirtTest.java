// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
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
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.backend.libvirt.FakeVirsh.Domain;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one agent moves, another one puts back that knows nothing but the snapshot, as after kill -9. */
class RestoreOnLibvirtTest {

    private static final Map<KnobKind, Integer> AWAY = Map.of(KnobKind.WEIGHT, 512, KnobKind.CAP, 900, KnobKind.MEMORY, 160,
            KnobKind.AFFINITY, 1, KnobKind.CPUSET, 1);
    private static final double FREE = 1 << 30;

    @TempDir
    Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private PlayedHost host;
    private FakeVirsh virsh;
    private Domain web;
    private Journal journal;
    private LibvirtBackend backend;
    private Applier applier;

    @BeforeEach
    void begin() throws Exception {
        host = new PlayedHost(directory);
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\n");
        virsh = new FakeVirsh(host, true);
        web = virsh.start(3, "web", FakeVirsh.UUID, 700);
        web.schedule.put("global_quota", 150_000L);
        another();
    }

    @AfterEach
    void end() throws Exception {
        journal.close();
    }

    private Snapshot snapshot() throws Exception {
        return new Snapshot(directory.resolve("snapshot.json"), "boot");
    }

    /** The next agent, or the same one for the first time. */
    private void another() throws Exception {
        if (journal != null) {
            journal.close();
        }
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        backend = new LibvirtBackend(host, nanos::get);
        List<Claim> claims = List.of(new Claim("test", AWAY.keySet(), Set.of()));
        applier = new Applier(new ApplierParts(backend, journal, snapshot(), new Ownership(claims),
                new KnobLimits(backend.capabilities().knobs(), Map.of()), 1000, false, Clock.systemUTC(), nanos::get));
    }

    private void move() throws Exception {
        later();
        List<Guest> guests = backend.guests();
        applier.observe(guests, backend.pools());
        Guest guest = guests.get(0);
        List<KnobProposal> proposals = AWAY.entrySet().stream().map(one -> new KnobProposal(GuestKnob.all(one.getKey(), guest).get(0),
                one.getValue(), "test", new Rationale("the test says so", Map.of()))).toList();
        assertThat(applier.apply("turn", proposals, FREE).held()).isEmpty();
    }

    private void later() {
        nanos.addAndGet(61_000_000_000L);
    }

    private RestoreResult restore() throws Exception {
        later();
        return applier.restore("end", ChangeRequest.Origin.OPERATOR, "the test says so");
    }

    private String state(Domain domain) throws Exception {
        return domain.schedule + " " + domain.target + " " + host.read("/proc/" + domain.process + "/status")
                + host.read("/proc/" + (domain.process + 1) + "/status") + host.read("/proc/" + (domain.process + 3) + "/status");
    }

    @Test
    void fiveKnobsAreRestoredAfterTheAgentWasKilled() throws Exception {
        String before = state(web);
        move();
        assertThat(web.schedule).containsEntry("cpu_shares", 2048L).containsEntry("global_quota", 90_000L);
        assertThat(web.target).isEqualTo(160 * 1024);
        another();
        RestoreResult result = restore();
        assertThat(result.problems()).isEmpty();
        assertThat(result.restored()).hasSize(AWAY.size());
        assertThat(state(web)).as("exactly").isEqualTo(before);
        assertThat(snapshot().all()).isEmpty();
    }

    @Test
    void whatSomebodyElseHasSetStays() throws Exception {
        move();
        web.schedule.put("cpu_shares", 4000L);
        another();
        assertThat(restore().foreign()).anyMatch(label -> label.contains("weight"));
        assertThat(web.schedule).containsEntry("cpu_shares", 4000L).containsEntry("global_quota", 150_000L);
    }

    @Test
    void aDomainStartedAnewHasItsOwnBaseline() throws Exception {
        move();
        virsh.end(web);
        Domain again = virsh.start(4, "web", FakeVirsh.UUID, 750);
        again.schedule.put("cpu_shares", 1536L);
        String fresh = state(again);
        move();
        assertThat(again.schedule).as("it is picked up").containsEntry("cpu_shares", 2048L);
        another();
        assertThat(restore().problems()).isEmpty();
        assertThat(state(again)).isEqualTo(fresh);
        assertThat(snapshot().all()).isEmpty();
    }

    /** As by virsh managedsave and start: all that was set comes back, in another process. */
    private Domain restoredFromDisk() {
        virsh.end(web);
        Domain again = virsh.start(4, "web", FakeVirsh.UUID, 750);
        again.schedule.putAll(Map.of("cpu_shares", 2048L, "global_quota", 90_000L));
        again.target = 160 * 1024;
        again.kib = again.target;
        return again;
    }

    @Test
    void aDomainThatGoesOnWithWhatWasSetHasTheBaselineOfBefore() throws Exception {
        move();
        Domain again = restoredFromDisk();
        later();
        applier.observe(backend.guests(), backend.pools());
        another();
        assertThat(restore().problems()).isEmpty();
        assertThat(again.schedule).containsEntry("cpu_shares", 1024L).containsEntry("global_quota", 150_000L);
        assertThat(again.target).isEqualTo(192 * 1024);
        assertThat(snapshot().all()).isEmpty();
    }

    @Test
    void thatIsSoTooIfNoAgentSawItComeBack() throws Exception {
        move();
        Domain again = restoredFromDisk();
        another();
        RestoreResult result = restore();
        assertThat(result.problems()).isEmpty();
        assertThat(again.schedule).containsEntry("cpu_shares", 1024L).containsEntry("global_quota", 150_000L);
        assertThat(again.target).isEqualTo(192 * 1024);
    }

    @Test
    void whatSleepsOnTheDiskStaysNoted() throws Exception {
        move();
        virsh.end(web);
        virsh.saved.add(FakeVirsh.UUID);
        another();
        assertThat(restore().problems()).hasSize(AWAY.size()).allMatch(why -> why.contains("is saved to the disk with it"));
        assertThat(snapshot().all()).hasSize(AWAY.size());
        virsh.saved.clear();
        Domain again = restoredFromDisk();
        another();
        assertThat(restore().problems()).isEmpty();
        assertThat(again.schedule).containsEntry("global_quota", 150_000L);
        assertThat(snapshot().all()).isEmpty();
    }

    @Test
    void aDomainThatHasGoneIsForgotten() throws Exception {
        move();
        virsh.end(web);
        another();
        assertThat(restore().problems()).isEmpty();
        assertThat(snapshot().all()).isEmpty();
    }

    @Test
    void aRefusalStaysNotedAndIsTriedAgain() throws Exception {
        move();
        virsh.refusals.put("schedinfo 3 --live", "operation failed: domain is no longer running");
        another();
        assertThat(restore().problems()).hasSize(2).allMatch(why -> why.contains("no longer running"));
        virsh.refusals.clear();
        another();
        assertThat(restore().problems()).isEmpty();
        assertThat(web.schedule).containsEntry("cpu_shares", 1024L);
    }

    @Test
    void whatHasNoAnswerIsTriedAgain() throws Exception {
        move();
        virsh.hangs.put("schedinfo 3 --live", 1);
        another();
        assertThat(restore().problems()).isEmpty();
        assertThat(web.schedule).containsEntry("cpu_shares", 1024L).containsEntry("global_quota", 150_000L);
    }
}
