// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.backend.libvirt.FakeVirsh.Domain;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.loop.Controllers;
import org.ic2.host.loop.HostFit;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibvirtBackendTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private PlayedHost host;
    private FakeVirsh virsh;
    private Domain web;
    private LibvirtBackend backend;

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemAvailable:    1048576 kB\nSwapFree: 0 kB\n");
        host.file("/proc/net/dev", "Inter-|\n face |bytes\n");
        host.file("/proc/vmstat", "oom_kill 0\n");
        virsh = new FakeVirsh(host, true);
        web = virsh.start(3, "web", FakeVirsh.UUID, 700);
        backend = new LibvirtBackend(host, nanos::get);
    }

    private Guest guest(String name) throws Exception {
        return backend.guests().stream().filter(guest -> guest.name().equals(name)).findFirst().orElseThrow();
    }

    private GuestKnob knob(KnobKind kind) throws Exception {
        return GuestKnob.all(kind, guest("web")).get(0);
    }

    private void later() {
        nanos.addAndGet(61 * SECOND);
    }

    @Test
    void domainsAreGuestsByTheirNames() throws Exception {
        virsh.start(9, "db two", 800);
        assertThat(backend.guests()).extracting(Guest::name).containsExactly("web", "db two");
        Guest guest = guest("web");
        assertThat(guest.uuid()).isEqualTo(FakeVirsh.UUID + "@700.1700");
        assertThat(guest.id()).as("its control group").isEqualTo("machine/qemu-3-web.libvirt-qemu");
        assertThat(guest.vcpus()).isEqualTo(2);
        assertThat(guest.memMax()).isEqualTo(192L << 20);
        assertThat(backend.capabilities().knobs()).containsOnlyKeys(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY, KnobKind.AFFINITY, KnobKind.CPUSET);
    }

    /** The package's example. */
    @Test
    void theExampleFits() throws Exception {
        virsh.start(9, "batch", 800);
        HostConfig config = HostConfigReader.load(Path.of("../../packaging/host/host-libvirt.yaml")).withMode(Mode.ACT);
        Controllers.of(config);
        assertThat(Controllers.lacking(config, backend.capabilities())).isEmpty();
        assertThat(Controllers.problem(config, backend.capabilities(), backend.pools())).isEmpty();
        assertThat(HostFit.problems(config, backend)).isEmpty();
        assertThat(backend.guests()).extracting(Guest::name).containsExactlyInAnyOrderElementsOf(config.guests().keySet());
    }

    @Test
    void namesOutsideAsciiAreTheirOwn() throws Exception {
        virsh.start(4, "gr\u00fc\u00dfe", 800);
        virsh.start(5, "gr\u00f6\u00dfe", 810);     // the table shows the same of both
        virsh.start(6, " web", 820);
        later();
        assertThat(backend.guests()).extracting(Guest::name).containsExactlyInAnyOrder("web", "gr\u00fc\u00dfe", "gr\u00f6\u00dfe", " web");
        backend.set(GuestKnob.of(KnobKind.CAP, guest("gr\u00f6\u00dfe")), 500);
        assertThat(virsh.domains.get(5).schedule).containsEntry("global_quota", 50_000L);
        assertThat(virsh.domains.get(4).schedule).containsEntry("global_quota", -1L);
        assertThat(virsh.domains.get(3).schedule).containsEntry("global_quota", -1L);
    }

    /** libvirt was started anew, and numbers its domains otherwise. */
    @Test
    void ofDomainsThatTheTableShowsAlikeNoneIsTakenForAnother() throws Exception {
        virsh.end(web);
        Domain first = virsh.start(1, "gr\u00fc\u00dfe", 800);
        Domain second = virsh.start(2, "gr\u00f6\u00dfe", 810);
        later();
        GuestKnob cap = GuestKnob.of(KnobKind.CAP, guest("gr\u00f6\u00dfe"));
        virsh.domains.clear();
        virsh.start(1, second.name, second.uuid, 810);
        virsh.start(2, first.name, first.uuid, 800);
        nanos.addAndGet(2 * SECOND);
        assertThat(backend.guests()).hasSize(2);
        backend.set(cap, 500);
        assertThat(virsh.domains.get(1).schedule).containsEntry("global_quota", 50_000L);
        assertThat(virsh.domains.get(2).schedule).containsEntry("global_quota", -1L);
    }

    @Test
    void aDomainThatCannotBeNamedIsLeftAloneAndTheOthersAreNot() throws Exception {
        Domain odd = virsh.start(4, "evil\u2028@3", 800);
        virsh.start(5, "tab\tbed", 810);
        later();
        assertThat(backend.guests()).extracting(Guest::name).containsExactly("web");
        assertThat(guest("web").uuid()).startsWith(FakeVirsh.UUID);
        assertThat(backend.read(Instant.now(), Set.of()).guests()).hasSize(1);
        assertThat(backend.capabilities().notes()).filteredOn(note -> note.contains("is left alone")).hasSize(2)
                .allMatch(note -> note.lines().count() == 1 && note.contains("virsh domrename"));
        virsh.end(odd);
        later();
        assertThat(backend.capabilities().notes()).filteredOn(note -> note.contains("is left alone")).hasSize(1);
    }

    @Test
    void eachKnobIsReadBackAndPutBackExactly() throws Exception {
        Map<KnobKind, Integer> values = Map.of(KnobKind.WEIGHT, 512, KnobKind.CAP, 350, KnobKind.MEMORY, 160, KnobKind.AFFINITY, 1, KnobKind.CPUSET, 2);
        virsh.domains.get(3).schedule.put("global_period", 50_000L);
        for (Map.Entry<KnobKind, Integer> one : values.entrySet()) {
            GuestKnob knob = knob(one.getKey());
            int before = backend.get(knob);
            String exact = backend.exact(knob);
            backend.set(knob, one.getValue());
            assertThat(backend.get(knob)).as("%s, at once", knob).isEqualTo(one.getValue());
            backend.putBack(knob, exact);
            assertThat(backend.get(knob)).as("%s, baseline", knob).isEqualTo(before);
            assertThat(backend.exact(knob)).isEqualTo(exact);
            assertThatThrownBy(() -> backend.putBack(knob, "; destroy 3")).isInstanceOf(NotDoneException.class);
        }
        assertThat(web.schedule).containsEntry("cpu_shares", 1024L).containsEntry("global_quota", -1L).containsEntry("global_period", 50_000L);
        assertThat(host.written()).as("libvirt is told of all, and nobody writes behind it").isEmpty();
    }

    @Test
    void aCapIsTheQuotaThatTheProviderUses() throws Exception {
        web.schedule.put("vcpu_quota", 40_000L);
        assertThat(backend.get(knob(KnobKind.CAP))).as("of both virtual CPUs").isEqualTo(800);
        String exact = backend.exact(knob(KnobKind.CAP));
        backend.set(knob(KnobKind.CAP), 500);
        assertThat(web.schedule).containsEntry("vcpu_quota", 25_000L).containsEntry("global_quota", -1L);
        backend.putBack(knob(KnobKind.CAP), exact);
        assertThat(web.schedule).containsEntry("vcpu_quota", 40_000L);
        backend.set(knob(KnobKind.CAP), 0);
        assertThat(web.schedule).containsEntry("vcpu_quota", -1L);
    }

    @Test
    void versionTwoHasOtherSharesAndNoNegativeQuota() throws Exception {
        FakeVirsh second = new FakeVirsh(host, false);
        Domain domain = second.start(4, "web", FakeVirsh.UUID, 900);
        domain.schedule.put("cpu_shares", 100L);
        domain.schedule.put("global_quota", VirshText.NO_QUOTA);
        LibvirtBackend of = new LibvirtBackend(host, nanos::get);
        Guest guest = of.guests().get(0);
        assertThat(guest.id()).isEqualTo("machine/qemu-4-web.libvirt-qemu/libvirt");
        GuestKnob weight = GuestKnob.of(KnobKind.WEIGHT, guest);
        GuestKnob cap = GuestKnob.of(KnobKind.CAP, guest);
        assertThat(of.get(weight)).isEqualTo(256);
        assertThat(of.get(cap)).isZero();
        String none = of.exact(cap);
        of.set(weight, 512);
        assertThat(domain.schedule).containsEntry("cpu_shares", 200L);
        of.set(cap, 500);
        assertThat(of.get(cap)).isEqualTo(500);
        of.putBack(cap, none);
        assertThat(domain.schedule).containsEntry("global_quota", VirshText.NO_QUOTA);
    }

    @Test
    void emulatorAndIoThreadsMoveTogetherAndAreRestoredApart() throws Exception {
        host.file("/proc/703/status", "Name:\tIO iothread1\nCpus_allowed_list:\t1\n");
        GuestKnob set = knob(KnobKind.CPUSET);
        assertThat(backend.get(set)).as("they have two sets").isZero();
        String exact = backend.exact(set);
        assertThat(exact).isEqualTo("emulator=0-1 1=1");
        backend.set(set, 1);
        assertThat(backend.get(set)).isEqualTo(1);
        assertThat(host.asked()).contains("virsh -c qemu:///system emulatorpin 3 0 --live", "virsh -c qemu:///system iothreadpin 3 1 0 --live");
        backend.putBack(set, exact);
        assertThat(backend.exact(set)).isEqualTo(exact);
    }

    /** A refusal of the first thread changed nothing; one of a later thread did, and must not count as nothing. */
    @Test
    void threadsOfWhichOneIsRefusedAreHalfDone() throws Exception {
        GuestKnob set = knob(KnobKind.CPUSET);
        virsh.refusals.put("iothreadpin", "Requested operation is not valid");
        assertThatThrownBy(() -> backend.set(set, 1)).isExactlyInstanceOf(IOException.class).hasMessageContaining("some threads were moved");
        virsh.refusals.put("emulatorpin", "Requested operation is not valid");
        assertThatThrownBy(() -> backend.set(set, 2)).isInstanceOf(NotDoneException.class);
    }

    @Test
    void aRefusalIsNotDone() throws Exception {
        GuestKnob weight = knob(KnobKind.WEIGHT);
        GuestKnob memory = knob(KnobKind.MEMORY);
        GuestKnob pin = knob(KnobKind.AFFINITY);
        assertThatThrownBy(() -> backend.set(knob(KnobKind.CAP), 1)).isInstanceOf(NotDoneException.class).hasMessageContaining("out of range");
        assertThatThrownBy(() -> backend.set(memory, 999)).isInstanceOf(NotDoneException.class).hasMessageContaining("higher than max memory");
        assertThatThrownBy(() -> backend.set(pin, 99)).isInstanceOf(NotDoneException.class).hasMessageContaining("exceed the maxcpu");
        virsh.refusals.put("schedinfo", "Requested operation is not valid: cgroup CPU controller is not mounted");
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class).hasMessageContaining("not mounted");
        assertThat(backend.get(weight)).isEqualTo(256);
        assertThat(backend.objections(Map.of(pin, 5))).containsKey(pin);
        assertThat(backend.objections(Map.of(pin, 1))).isEmpty();
    }

    /** What was sent to one that does not answer may still be done. */
    @Test
    void aDelayLeavesOpenWhetherItIsDone() throws Exception {
        GuestKnob memory = knob(KnobKind.MEMORY);
        virsh.hangs.put("setmem", 1);
        assertThatThrownBy(() -> backend.set(memory, 160)).isExactlyInstanceOf(IOException.class).hasMessageContaining("did not end");
        virsh.hangs.put("domstats", 1);
        later();
        assertThat(backend.get(memory)).as("who asks a second time gets an answer").isEqualTo(192);
        virsh.hangs.put("domstats", 2);
        later();
        assertThatThrownBy(() -> backend.get(memory)).isInstanceOf(IOException.class);
        assertThat(backend.get(knob(KnobKind.WEIGHT))).as("nothing else waits for its balloon").isEqualTo(256);
    }

    @Test
    void aBalloonIsSeenOnItsWay() throws Exception {
        GuestKnob memory = knob(KnobKind.MEMORY);
        web.step = 10 * 1024;
        backend.set(memory, 160);
        assertThat(backend.get(memory)).isEqualTo(182);
        nanos.addAndGet(SECOND / 5);
        assertThat(backend.get(memory)).isEqualTo(172);
        assertThat(backend.gradual(KnobKind.MEMORY)).isTrue();
    }

    @Test
    void aDeathIsTheEndOfItsKnobs() throws Exception {
        Domain db = virsh.start(9, "db", 800);
        GuestKnob weight = knob(KnobKind.WEIGHT);
        virsh.kill(web);
        assertThatThrownBy(() -> backend.set(weight, 512)).as("libvirt has not noticed yet").isInstanceOf(NotDoneException.class)
                .hasMessageContaining("is gone");
        later();
        assertThatThrownBy(() -> backend.get(weight)).isInstanceOf(IOException.class);
        assertThat(backend.guests()).extracting(Guest::name).containsExactly("db");
        virsh.end(web);
        virsh.end(db);
        later();
        assertThat(backend.guests()).isEmpty();
    }

    @Test
    void aDomainStartedAnewIsAnotherAndTakesNoOrderOfTheRunBefore() throws Exception {
        GuestKnob weight = knob(KnobKind.WEIGHT);
        virsh.end(web);
        Domain again = virsh.start(3, "web", FakeVirsh.UUID, 750);     // libvirt was started anew, too, so the number is the same
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class);
        later();
        GuestKnob now = knob(KnobKind.WEIGHT);
        assertThat(now).isNotEqualTo(weight);
        assertThat(backend.continues(now.target().whose().orElseThrow(), weight.target().whose().orElseThrow())).isTrue();
        assertThat(backend.continues(now.target().whose().orElseThrow(), now.target().whose().orElseThrow())).isFalse();
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class);
        backend.set(now, 512);
        assertThat(again.schedule).containsEntry("cpu_shares", 2048L);
    }

    @Test
    void whoCannotBeToldIsNotLeftOut() throws Exception {
        java.nio.file.Files.delete(host.at("/run/libvirt/qemu/web.pid"));
        assertThatThrownBy(() -> backend.guests()).isInstanceOf(IOException.class).hasMessageContaining("/run/libvirt/qemu/web.pid");
        host.file("/run/libvirt/qemu/web.pid", "700\n");
        Guest guest = guest("web");
        java.nio.file.Files.delete(host.at("/run/libvirt/qemu/web.pid"));
        later();
        assertThat(backend.guests()).as("its process still runs").containsExactly(guest);
    }

    @Test
    void libvirtThatDoesNotAnswerIsAFault() throws Exception {
        virsh.refusals.put("list", "failed to connect to the hypervisor");
        assertThatThrownBy(() -> backend.guests()).isInstanceOf(IOException.class).hasMessageContaining("failed to connect");
    }

    @Test
    void theGuestReportsItsMemory() throws Exception {
        Instant now = Instant.ofEpochSecond((long) web.update);
        HostSample sample = backend.read(now, Set.of());
        Guest guest = guest("web");
        assertThat(sample.get(guest, GuestMetric.MEM_ALLOC)).isEqualTo(196_608.0 * 1024);
        assertThat(sample.get(guest, GuestMetric.MEM_USED)).isEqualTo((196_608.0 - 136_428 + 1108) * 1024);
        assertThat(sample.get(guest, GuestMetric.CPU_THROTTLED)).as("the first reading has no rates").isNaN();
        later();
        sample = backend.read(now.plusSeconds(61), Set.of());
        assertThat(sample.byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED)).contains("not reported for 61 s");
        assertThat(sample.get(guest, GuestMetric.CPU_THROTTLED)).isZero();
        web.update = 0;
        later();
        assertThat(backend.read(now, Set.of()).byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED)).contains("never reported");
    }

    @Test
    void aSavedDomainSleepsWithItsKnobs() throws Exception {
        GuestKnob weight = knob(KnobKind.WEIGHT);
        virsh.end(web);
        assertThat(backend.asleep(weight.target().whose().orElseThrow())).isEmpty();
        virsh.saved.add(FakeVirsh.UUID);
        later();
        assertThat(backend.asleep(weight.target().whose().orElseThrow()).orElseThrow()).contains("managedsave-remove");
    }

    @Test
    void onlyTheBackendOfThisHostIsAsked() throws Exception {
        backend.read(Instant.EPOCH, Set.of());
        assertThat(host.asked()).isNotEmpty().allMatch(line -> line.startsWith("virsh -c qemu:///system "));
        assertThat(List.copyOf(host.asked())).noneMatch(line -> line.contains("qemu-monitor-command"));
    }
}
