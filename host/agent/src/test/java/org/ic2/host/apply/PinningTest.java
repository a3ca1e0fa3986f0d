// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
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

/** Knobs whose values name CPUs, and those that virtual CPUs have. */
class PinningTest {

    private static final long SECOND = 1_000_000_000;
    private static final int TWO_OF_FOUR = -4;

    @TempDir
    private Path directory;
    private final FakeBackend host = new FakeBackend();
    private final AtomicLong nanos = new AtomicLong();
    private Journal journal;
    private Applier applier;
    private Guest vm;

    @BeforeEach
    void start() throws Exception {
        host.ranges.put(KnobKind.AFFINITY, new Capabilities.Range(0, 3, 1));
        host.ranges.put(KnobKind.CPUSET, new Capabilities.Range(1, 15, 1));
        vm = new Guest("7", "vm-7", "vm", 2, 0, 1 << 30, GuestClass.LS1, Double.NaN, Double.NaN);
        host.guests.add(vm);
        host.values.put("affinity vm-7 vcpu 0", TWO_OF_FOUR);
        host.values.put("affinity vm-7 vcpu 1", -1);
        host.values.put("cpuset vm-7", 15);
        begin();
    }

    @AfterEach
    void end() throws IOException {
        journal.close();
    }

    private void begin() throws IOException {
        if (journal != null) {
            journal.close();
        }
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        Ownership owners = new Ownership(List.of(new Claim("placement", EnumSet.of(KnobKind.AFFINITY, KnobKind.CPUSET), Set.of())));
        applier = new Applier(new ApplierParts(host, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"), owners,
                new KnobLimits(host.ranges, Map.of()), 100, true, Clock.systemUTC(), nanos::get));
    }

    private static KnobProposal pin(GuestKnob knob, int value) {
        return new KnobProposal(knob, value, "placement", new Rationale("as the test says", Map.of()));
    }

    private KnobProposal vcpu(int number, int cpu) {
        return pin(GuestKnob.of(KnobKind.AFFINITY, vm, number), cpu);
    }

    private Applier.Report turn(KnobProposal... proposals) throws InterruptedException {
        nanos.addAndGet(100 * SECOND);
        applier.observe(host.guests, host.pools);
        return applier.apply("t", List.of(proposals), 0);
    }

    @Test
    void eachVirtualCpuIsPinnedByItselfAndRestoredAfterTheEndOfTheProcess() throws Exception {
        Applier.Report report = turn(vcpu(0, 3), vcpu(1, 0), pin(GuestKnob.of(KnobKind.CPUSET, vm), 8));

        assertThat(report.held()).isEmpty();
        assertThat(host.values).containsEntry("affinity vm-7 vcpu 0", 3).containsEntry("affinity vm-7 vcpu 1", 0)
                .containsEntry("cpuset vm-7", 8);

        begin();
        RestoreResult result = applier.restore("start", ChangeRequest.Origin.RECOVERY, "an earlier agent left it");

        assertThat(result.isAtBaseline()).isTrue();
        assertThat(result.restored()).hasSize(3);
        assertThat(host.orders).contains("vm vCPU 0's affinity = exactly -4", "vm vCPU 1's affinity = exactly -1");
        assertThat(host.values).containsEntry("affinity vm-7 vcpu 0", TWO_OF_FOUR).containsEntry("affinity vm-7 vcpu 1", -1)
                .containsEntry("cpuset vm-7", 15);
    }

    @Test
    void noOtherCpuIsTakenInsteadOfOneThatIsNotThere() throws Exception {
        Applier.Report report = turn(vcpu(0, 4), vcpu(1, -1), pin(GuestKnob.of(KnobKind.CPUSET, vm), 0));

        assertThat(host.orders).isEmpty();
        assertThat(report.held()).anySatisfy(held -> assertThat(held).isEqualTo("vm vCPU 0's affinity: expected 0 to 3, got 4"))
                .anySatisfy(held -> assertThat(held).contains("cpuset: expected 1 to 15, got 0"));
    }

    @Test
    void whereSomebodyElseHasLetItRunOnOtherCpusItStaysSo() throws Exception {
        turn(vcpu(0, 3));
        host.values.put("affinity vm-7 vcpu 0", -7);

        begin();
        RestoreResult result = applier.restore("start", ChangeRequest.Origin.RECOVERY, "an earlier agent left it");

        assertThat(result.foreign()).containsExactly("vm vCPU 0's affinity (-7)");
        assertThat(host.values).containsEntry("affinity vm-7 vcpu 0", -7);
    }

    @Test
    void aPinRestsBeforeTheNext() throws Exception {
        turn(vcpu(0, 3));
        nanos.addAndGet(-95 * SECOND);

        assertThat(turn(vcpu(0, 2)).held()).anySatisfy(held -> assertThat(held).contains("rests for 15 s"));
    }

    @Test
    void aVirtualCpuThatWasTakenOutIsForgotten() throws Exception {
        turn(vcpu(1, 2));
        host.values.remove("affinity vm-7 vcpu 1");
        host.guests.set(0, new Guest("7", "vm-7", "vm", 1, 0, 1 << 30, GuestClass.LS1, Double.NaN, Double.NaN));

        begin();
        RestoreResult result = applier.restore("start", ChangeRequest.Origin.RECOVERY, "an earlier agent left it");

        assertThat(result.isAtBaseline()).isTrue();
        assertThat(result.restored()).isEmpty();
    }

    @Test
    void aKnobThatAGuestHasNotIsNotAskedFor() throws Exception {
        host.lacking.add(KnobKind.AFFINITY);

        assertThat(turn(vcpu(0, 3), pin(GuestKnob.of(KnobKind.CPUSET, vm), 8)).done()).containsExactly("vm's cpuset 15 -> 8");
        assertThat(applier.inForce().knobs()).hasSize(1);
    }
}
