// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Knobs of groups that are systemd's units, with a systemd that keeps what it is told as a real one was seen to. */
class SystemdUnitsTest {
    private static final Map<KnobKind, Integer> AWAY = Map.of(KnobKind.WEIGHT, 1024, KnobKind.CAP, 330, KnobKind.MEMORY_LOW, 512,
            KnobKind.IO_WEIGHT, 20, KnobKind.IO_MAX, 30);

    /** What the unit does between the agent's end and the restore. */
    private enum Meanwhile { NOTHING, RELOADED, RESTARTED, RESTARTED_AND_RELOADED }

    @TempDir
    private Path directory;
    private PlayedHost host;
    private FakeGroups2 groups;
    private FakeSystemctl systemd;
    private CgroupBackend backend;

    @BeforeEach
    void begin() throws Exception {
        host = new PlayedHost(directory);
        groups = new FakeGroups2(host);
        systemd = new FakeSystemctl(host, groups);
        systemd.unit("web.service", "CPUWeight=200", "CPUQuota=33.5%", "IOReadIOPSMax=/dev/block/254:0 900");
        backend = new CgroupBackend(host, "tenants.slice");
    }

    private Guest guest() throws Exception {
        return backend.guests().get(0);
    }

    private Map<KnobKind, String> content() throws Exception {
        Map<KnobKind, String> all = new EnumMap<>(KnobKind.class);
        for (Map.Entry<KnobKind, String> one : Map.of(KnobKind.WEIGHT, "cpu.weight", KnobKind.CAP, "cpu.max", KnobKind.MEMORY_LOW, "memory.low",
                KnobKind.IO_WEIGHT, "io.weight", KnobKind.IO_MAX, "io.max").entrySet()) {
            all.put(one.getKey(), groups.content("web.service/" + one.getValue()));
        }
        return all;
    }

    private Map<KnobKind, Integer> values() throws Exception {
        Map<KnobKind, Integer> all = new EnumMap<>(KnobKind.class);
        for (KnobKind kind : AWAY.keySet()) {
            all.put(kind, backend.get(GuestKnob.of(kind, guest())));
        }
        return all;
    }

    private Applier applier(Journal journal) throws Exception {
        return new Applier(new ApplierParts(backend, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                new Ownership(List.of(new Claim("test", AWAY.keySet(), Set.of()))), new KnobLimits(backend.capabilities().knobs(), Map.of()),
                1000, false, Clock.systemUTC(), System::nanoTime));
    }

    private Journal journal() throws Exception {
        return new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
    }

    private void move(Applier applier) throws Exception {
        applier.observe(backend.guests(), backend.pools());
        Guest guest = guest();
        List<KnobProposal> proposals = AWAY.entrySet().stream().map(one -> new KnobProposal(GuestKnob.of(one.getKey(), guest), one.getValue(), "test",
                new Rationale("the test says so", Map.of()))).toList();
        assertThat(applier.apply("turn", proposals, 1 << 30).held()).isEmpty();
        assertThat(values()).isEqualTo(AWAY);
    }

    private RestoreResult restore() throws Exception {
        backend = new CgroupBackend(host, "tenants.slice");
        try (Journal journal = journal()) {
            return applier(journal).restore("end", ChangeRequest.Origin.OPERATOR, "the test says so");
        }
    }

    @Test
    void aReloadMakesNoKnobSomebodyElses() throws Exception {
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            move(applier);
            systemd.reload();
            assertThat(values()).as("in whole per cents, as systemd keeps a quota").isEqualTo(AWAY);
            applier.observe(backend.guests(), backend.pools());
            assertThat(applier.givenUp()).isEmpty();
            systemd.byHand("web.service", "CPUWeight=300");
            applier.observe(backend.guests(), backend.pools());
            assertThat(applier.givenUp().keySet()).extracting(GuestKnob::kind).containsExactly(KnobKind.WEIGHT);
        }
        assertThat(restore().foreign()).hasSize(1);
        assertThat(groups.content("web.service/cpu.weight")).as("theirs").isEqualTo("300");
        assertThat(systemd.dropIns("web.service")).containsExactly("50-CPUWeight.conf");
    }

    /** As after kill -9: the next agent knows nothing but the snapshot. */
    @ParameterizedTest
    @EnumSource
    void theRestoreIsExactAndLeavesNothingWithSystemd(Meanwhile meanwhile) throws Exception {
        Map<KnobKind, String> before = content();
        assertThat(before).containsEntry(KnobKind.CAP, "33500 100000").containsEntry(KnobKind.IO_MAX, "254:0 rbps=max wbps=max riops=900 wiops=max");
        try (Journal journal = journal()) {
            move(applier(journal));
        }
        assertThat(systemd.dropIns("web.service")).contains("50-CPUQuota.conf", "50-IOWriteBandwidthMax.conf");
        if (meanwhile == Meanwhile.RESTARTED || meanwhile == Meanwhile.RESTARTED_AND_RELOADED) {
            Path old = host.at(FakeGroups2.SLICE + "/web.service");
            java.nio.file.Files.move(old, directory.resolve("old"));      // so that no new directory gets its number
            systemd.start("web.service");
        }
        if (meanwhile == Meanwhile.RELOADED || meanwhile == Meanwhile.RESTARTED_AND_RELOADED) {
            systemd.reload();
        }
        assertThat(values()).isEqualTo(AWAY);
        RestoreResult result = restore();
        assertThat(result.problems()).isEmpty();
        assertThat(result.foreign()).isEmpty();
        assertThat(result.restored()).hasSize(5);
        assertThat(content()).isEqualTo(before);
        assertThat(systemd.dropIns("web.service")).isEmpty();
        systemd.reload();
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void aUnitThatIsStartedAgainUnderTheAgentHasItsBaseline() throws Exception {
        Map<KnobKind, String> before = content();
        try (Journal journal = journal()) {
            Applier applier = applier(journal);
            move(applier);
            java.nio.file.Files.move(host.at(FakeGroups2.SLICE + "/web.service"), directory.resolve("old"));
            systemd.start("web.service");
            applier.observe(backend.guests(), backend.pools());
            assertThat(applier.givenUp()).isEmpty();
            assertThat(applier.restore("end", ChangeRequest.Origin.EXIT, "the test says so").isAtBaseline()).isTrue();
        }
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void aUnitThatHasStoppedBeginsWithItsOwn() throws Exception {
        Map<KnobKind, String> before = content();
        try (Journal journal = journal()) {
            move(applier(journal));
        }
        systemd.stop("web.service");
        assertThat(restore().problems()).isEmpty();
        assertThat(systemd.dropIns("web.service")).isEmpty();
        systemd.start("web.service");
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void aUnitThatIsGoneForGoodLeavesNothing() throws Exception {
        try (Journal journal = journal()) {
            move(applier(journal));
        }
        systemd.stop("web.service");
        systemd.failure = "Failed to set unit properties on web.service: Unit web.service not found.";
        assertThat(restore().problems()).isEmpty();
        assertThat(systemd.dropIns("web.service")).isEmpty();
    }

    @Test
    void whatSomebodyElseHasToldSystemdAtRunTimeStaysWithIt() throws Exception {
        systemd.byHand("web.service", "CPUWeight=300", "IOWeight=70");
        try (Journal journal = journal()) {
            move(applier(journal));
        }
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(systemd.dropIns("web.service")).containsExactly("50-CPUWeight.conf", "50-IOWeight.conf");
        systemd.reload();
        assertThat(content()).containsEntry(KnobKind.WEIGHT, "300").containsEntry(KnobKind.CAP, "33500 100000");
        assertThat(content().get(KnobKind.IO_WEIGHT)).startsWith("default 70");
    }

    /** Written behind systemd's back before we came, finer than it tells a quota. */
    @Test
    void aQuotaThatSystemdDoesNotKnowIsRestoredExactly() throws Exception {
        host.write(FakeGroups2.SLICE + "/web.service/cpu.max", "33333 100000");
        try (Journal journal = journal()) {
            move(applier(journal));
        }
        assertThat(restore().isAtBaseline()).isTrue();
        assertThat(groups.content("web.service/cpu.max")).isEqualTo("33333 100000");
    }

    @Test
    void ofARefusalNothingIsLeft() throws Exception {
        Map<KnobKind, String> before = content();
        systemd.failure = "Failed to set unit properties on web.service: Connection timed out";
        for (Map.Entry<KnobKind, Integer> one : AWAY.entrySet()) {
            assertThatThrownBy(() -> backend.set(GuestKnob.of(one.getKey(), guest()), one.getValue())).isInstanceOf(NotDoneException.class)
                    .hasMessageContaining("systemctl set-property --runtime -- web.service").hasMessageContaining("Connection timed out");
        }
        assertThat(content()).isEqualTo(before);
        host.does("systemctl", words -> new CommandResult(1, "", "Failed to connect to bus\n", false));
        backend = new CgroupBackend(host, "tenants.slice");
        assertThatThrownBy(() -> backend.set(GuestKnob.of(KnobKind.WEIGHT, guest()), 512)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("systemctl show web.service failed").hasMessageContaining("Failed to connect to bus");
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void aRestoreOfWhichSystemdHearsNothingIsTriedAgain() throws Exception {
        Map<KnobKind, String> before = content();
        try (Journal journal = journal()) {
            move(applier(journal));
        }
        systemd.failure = "Failed to set unit properties on web.service: Connection timed out";
        assertThat(restore().problems()).hasSize(5).allMatch(problem -> problem.contains("Connection timed out"));
        systemd.failure = "";
        assertThat(restore().problems()).isEmpty();
        systemd.reload();
        assertThat(content()).isEqualTo(before);
        assertThat(systemd.dropIns("web.service")).isEmpty();
    }

    @Test
    void aGroupThatIsNoUnitIsWrittenToAlone() throws Exception {
        groups.group("plain");
        groups.group("other.service");      // of a user's manager, which this one does not know
        for (Guest guest : backend.guests()) {
            if (!guest.name().equals("web.service")) {
                GuestKnob knob = GuestKnob.of(KnobKind.WEIGHT, guest);
                assertThat(backend.exact(knob)).isEqualTo("100");
                backend.set(knob, 512);
                backend.putBack(knob, "100");
            }
        }
        assertThat(host.asked()).noneMatch(command -> command.contains("set-property") || command.contains("plain"));
        GuestKnob told = GuestKnob.of(KnobKind.WEIGHT, backend.guests().stream().filter(guest -> guest.name().equals("web.service")).findFirst().orElseThrow());
        int before = host.asked().size();
        backend.putBack(told, backend.exact(told));
        backend.putBack(told, backend.exact(told));
        assertThat(host.asked().subList(before, host.asked().size())).as("whether it is a unit is asked once").filteredOn(command -> command.contains(" show "))
                .hasSize(1);
        host.asked().clear();
        CgroupBackend machines = CgroupBackend.ofMachines(host, "tenants.slice");
        Guest web = machines.guests().stream().filter(guest -> guest.name().equals("web.service")).findFirst().orElseThrow();
        machines.set(GuestKnob.of(KnobKind.WEIGHT, web), 512);
        assertThat(host.asked()).noneMatch(command -> command.contains("set-property"));
        assertThat(machines.capabilities().knobs().get(KnobKind.CAP).step()).isOne();
        assertThat(backend.capabilities().knobs().get(KnobKind.CAP).step()).as("a whole per cent").isEqualTo(10);
    }

    private String recorded(String name) throws Exception {
        return new String(getClass().getResourceAsStream("/systemd/" + name).readAllBytes(), StandardCharsets.UTF_8);
    }

    private static Map<String, String> kept(String recorded) {
        Matcher files = Pattern.compile("(?m)^== (/run/systemd/system.control/\\S+)\n(?:\\+ .*\n)*((?:[#\\[A-Z].*\n)+)").matcher(recorded);
        Map<String, String> kept = new LinkedHashMap<>();
        while (files.find()) {
            kept.put(files.group(1), files.group(2));
        }
        return kept;
    }

    @Test
    void theFakeKeepsLimitsOfDisksAsRecorded() throws Exception {
        Map<String, String> kept = kept(recorded("limits.txt"));
        assertThat(kept).hasSize(6);
        systemd.byHand("web.service", "IOReadBandwidthMax=", "IOWriteBandwidthMax=", "IOReadIOPSMax=", "IOWriteIOPSMax=",
                "IOReadBandwidthMax=/dev/block/254:0 31457280", "IOReadBandwidthMax=/dev/block/254:16 31457280",
                "IOWriteBandwidthMax=/dev/block/254:0 31457280", "CPUQuota=33%", "AllowedCPUs=0-1");
        for (Map.Entry<String, String> one : kept.entrySet()) {
            assertThat(host.read(one.getKey())).as(one.getKey()).isEqualTo(one.getValue());
        }
        backend.set(GuestKnob.of(KnobKind.IO_MAX, guest()), 30);
        assertThat(host.asked()).as("the words that were tried").contains("systemctl set-property --runtime -- web.service IOReadBandwidthMax="
                + " IOWriteBandwidthMax= IOReadIOPSMax= IOWriteIOPSMax= IOReadBandwidthMax=/dev/block/254:0 31457280"
                + " IOWriteBandwidthMax=/dev/block/254:0 31457280 IOReadBandwidthMax=/dev/block/254:16 31457280"
                + " IOWriteBandwidthMax=/dev/block/254:16 31457280");
    }

    /** The systemd of these tests keeps what a real one kept. */
    @Test
    void theFakeKeepsWhatWasRecorded() throws Exception {
        String recorded = recorded("set-property.txt");
        Map<String, String> kept = kept(recorded);
        assertThat(kept).hasSize(7);
        systemd.byHand("web.service", "CPUWeight=400", "CPUQuota=33.33%", "CPUQuotaPeriodSec=50ms", "MemoryHigh=268435456", "MemoryLow=1048576",
                "IOWeight=50", "AllowedCPUs=0");
        for (Map.Entry<String, String> one : kept.entrySet()) {
            assertThat(host.read(one.getKey())).as(one.getKey()).isEqualTo(one.getValue());
        }
        assertThat(recorded).contains("ControlGroup=/tenants.slice/web.service\n", "CPU quota '5' invalid.\n",
                "Failed to set unit properties on nosuch.service: Unit nosuch.service not found.\n");
        assertThat(systemd.dropIns("web.service")).hasSize(7);
    }
}
