// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code memory.low}, {@code io.weight} and {@code io.max}, on a tree that keeps the rules of the kernel's. */
class ProtectionKnobsTest {
    private static final Map<KnobKind, Integer> AWAY = Map.of(KnobKind.MEMORY_LOW, 512, KnobKind.IO_WEIGHT, 20, KnobKind.IO_MAX, 30);
    private static final String OWN = "253:0 rbps=max wbps=max riops=max wiops=900\n254:0 rbps=1000 wbps=max riops=max wiops=max";

    @TempDir
    private Path directory;
    private PlayedHost host;
    private FakeGroups2 groups;
    private CgroupBackend backend;

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        groups = new FakeGroups2(host);
        groups.group("web");
        backend = new CgroupBackend(host, "tenants.slice");
    }

    private GuestKnob knob(KnobKind kind) throws Exception {
        return GuestKnob.of(kind, backend.guests().get(0));
    }

    @ParameterizedTest
    @CsvSource({"MEMORY_LOW, 256, memory.low, 268435456", "MEMORY_LOW, 0, memory.low, 0", "IO_WEIGHT, 10000, io.weight, default 10000\\n254:16 300",
        "IO_MAX, 30, io.max, 254:0 rbps=31457280 wbps=31457280 riops=max wiops=max\\n254:16 rbps=31457280 wbps=31457280 riops=max wiops=max"})
    void theFileTakesWhatItIsGiven(KnobKind kind, int value, String file, String text) throws Exception {
        backend.set(knob(kind), value);
        assertThat(groups.content("web/" + file)).isEqualTo(text.replace("\\n", "\n"));
        assertThat(backend.get(knob(kind))).isEqualTo(value);
    }

    @Test
    void theHostSaysWhatItHas() throws Exception {
        assertThat(backend.capabilities().knobs()).containsEntry(KnobKind.IO_WEIGHT, new Range(1, 10_000, 1))
                .containsEntry(KnobKind.IO_MAX, new Range(1, 1_000_000, 1)).containsEntry(KnobKind.MEMORY_LOW, new Range(1, 4096, 1));
        assertThat(backend.capabilities().notes()).as("the parent protects nothing").anyMatch(note -> note.startsWith("memory.low of tenants.slice is 0"));
        host.file(FakeGroups2.SLICE + "/memory.low", "1073741824\n");
        assertThat(backend.capabilities().notes()).noneMatch(note -> note.startsWith("memory.low of"));
        for (String disk : List.of("vda", "vdb")) {
            java.nio.file.Files.delete(host.at("/sys/block/" + disk + "/device/uevent"));
            java.nio.file.Files.delete(host.at("/sys/block/" + disk + "/device"));
        }
        assertThat(backend.capabilities().knobs()).doesNotContainKey(KnobKind.IO_MAX);
        assertThat(backend.capabilities().notes()).contains("no io-max: no disk in /sys/block");
    }

    @Test
    void limitsOfSeveralKindsAreAnotherValueEachAndComeBackExactly() throws Exception {
        host.file(FakeGroups2.SLICE + "/web/io.max", OWN + "\n");
        GuestKnob knob = knob(KnobKind.IO_MAX);
        int own = backend.get(knob);
        assertThat(own).isNegative();
        String exact = backend.exact(knob);
        assertThat(exact.lines()).hasSize(1);
        backend.set(knob, 50);
        assertThat(backend.get(knob)).as("also of what is no disk, which is limited no more").isEqualTo(50);
        backend.putBack(knob, exact);
        assertThat(groups.content("web/io.max")).isEqualTo(OWN);
        assertThat(backend.get(knob)).isEqualTo(own);
        host.file(FakeGroups2.SLICE + "/web/io.max", OWN.replace("900", "901") + "\n");
        assertThat(backend.get(knob)).isNotEqualTo(own).isNegative();
    }

    @Test
    void aDiskThatIsGonePreventsNoRestore() throws Exception {
        String gone = "259:7 rbps=5 wbps=max riops=max wiops=max";
        backend.set(knob(KnobKind.IO_MAX), 50);
        backend.putBack(knob(KnobKind.IO_MAX), gone);
        assertThat(groups.content("web/io.max")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"253:0 rbps=max", "hello", "253:0 rbps=x wbps=max riops=max wiops=max", "1:2 rbps=1 wbps=1 riops=1 wiops=1 more=1"})
    void whatIsNotUnderstoodIsAnErrorThatQuotesIt(String text) throws Exception {
        host.file(FakeGroups2.SLICE + "/web/io.max", text + "\n");
        assertThatThrownBy(() -> backend.get(knob(KnobKind.IO_MAX))).isInstanceOf(IOException.class).hasMessageContaining("expected MAJOR:MINOR")
                .hasMessageContaining(text);
        host.file(FakeGroups2.SLICE + "/web/io.weight", text + "\n");
        assertThatThrownBy(() -> backend.get(knob(KnobKind.IO_WEIGHT))).isInstanceOf(IOException.class).hasMessageContaining("io.weight");
        host.file(FakeGroups2.SLICE + "/web/memory.low", text + "\n");
        assertThatThrownBy(() -> backend.get(knob(KnobKind.MEMORY_LOW))).isInstanceOf(IOException.class).hasMessageContaining("memory.low");
    }

    @Test
    void whatTheKernelRefusesIsNotDone() throws Exception {
        assertThatThrownBy(() -> backend.set(knob(KnobKind.IO_WEIGHT), 10_001)).isInstanceOf(NotDoneException.class).hasMessageContaining("io.weight");
        assertThatThrownBy(() -> backend.putBack(knob(KnobKind.IO_MAX), "nonsense")).isInstanceOf(NotDoneException.class);
        GuestKnob knob = knob(KnobKind.IO_MAX);
        groups.end("web");
        assertThatThrownBy(() -> backend.set(knob, 5)).isInstanceOf(NotDoneException.class);
    }

    private Applier applier(Journal journal) throws Exception {
        return new Applier(new ApplierParts(backend, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                new Ownership(List.of(new Claim("test", AWAY.keySet(), Set.of()))), new KnobLimits(backend.capabilities().knobs(), Map.of()),
                1000, false, Clock.systemUTC(), System::nanoTime));
    }

    private Journal journal() throws Exception {
        return new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
    }

    /** As an agent that is killed leaves it. */
    private void away() throws Exception {
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            applier.observe(backend.guests(), backend.pools());
            List<KnobProposal> proposals = AWAY.entrySet().stream().map(one -> new KnobProposal(GuestKnob.of(one.getKey(), guest()), one.getValue(),
                    "test", new Rationale("the test says so", Map.of()))).toList();
            assertThat(applier.apply("turn", proposals, 1 << 30).held()).isEmpty();
        }
        for (Map.Entry<KnobKind, Integer> one : AWAY.entrySet()) {
            assertThat(backend.get(knob(one.getKey()))).isEqualTo(one.getValue());
        }
        backend = new CgroupBackend(host, "tenants.slice");
    }

    private org.ic2.host.model.Guest guest() {
        try {
            return backend.guests().get(0);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theNextAgentPutsAllBackExactly() throws Exception {
        host.file(FakeGroups2.SLICE + "/web/io.max", OWN + "\n");
        host.file(FakeGroups2.SLICE + "/web/memory.low", "4096\n");
        away();
        try (Journal journal = journal()) {
            RestoreResult result = applier(journal).restore("end", ChangeRequest.Origin.OPERATOR, "the test says so");
            assertThat(result.problems()).isEmpty();
            assertThat(result.restored()).hasSize(3);
        }
        assertThat(groups.content("web/io.max")).isEqualTo(OWN);
        assertThat(groups.content("web/memory.low")).isEqualTo("4096");
        assertThat(groups.content("web/io.weight")).isEqualTo("default 100\n254:16 300");
    }

    @Test
    void whatSomebodyElseSetsStaysTheirs() throws Exception {
        away();
        host.write(FakeGroups2.SLICE + "/web/io.max", "254:0 riops=10");
        host.write(FakeGroups2.SLICE + "/web/io.weight", "77");
        host.write(FakeGroups2.SLICE + "/web/memory.low", "max");
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            RestoreResult result = applier.restore("end", ChangeRequest.Origin.OPERATOR, "the test says so");
            assertThat(result.foreign()).hasSize(3);
            assertThat(result.restored()).isEmpty();
        }
        assertThat(groups.content("web/io.max")).contains("riops=10");
        assertThat(groups.content("web/io.weight")).startsWith("default 77");
        assertThat(groups.content("web/memory.low")).isEqualTo("max");
    }

    /** A machine may still have hierarchies of both versions: what one rules the other has not. */
    @Test
    void version2IsLookedAtFirst() throws Exception {
        host.file("/sys/fs/cgroup/memory/tenants.slice/cgroup.procs", "");
        host.file("/sys/fs/cgroup/memory/tenants.slice/old/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(backend.guests()).extracting(org.ic2.host.model.Guest::name).containsExactly("web");
        host.file(FakeGroups2.SLICE + "/cgroup.controllers", "pids\n");
        assertThat(new CgroupBackend(host, "tenants.slice").guests()).as("where it rules nothing, version 1").extracting(org.ic2.host.model.Guest::name)
                .containsExactly("old");
    }
}
