// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.backend.intensity.IntensityMeter.Intensity;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.runtime.host.CommandResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters that this machine may not have, as files and outputs in their formats. */
class IntensityMetersTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String GROUP = "/sys/fs/resctrl/mon_groups/ic2-cgroup-7";

    @TempDir
    Path directory;
    private PlayedHost host;
    private final AtomicLong nanos = new AtomicLong();
    private final Guest web = guest("web", "cgroup-7", 0.25);
    private final Guest batch = guest("batch", "cgroup-8", Double.NaN);

    private static Guest guest(String name, String uuid, double intensity) {
        return new Guest("machine.slice/" + name, uuid, name, 1, 0, 1, GuestClass.NLS, Double.NaN, intensity);
    }

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        for (String name : List.of("web", "batch")) {
            host.file("/sys/fs/cgroup/cpu/machine.slice/" + name + "/tasks", "71\n72\n");
            host.file("/sys/fs/cgroup/unified/machine.slice/" + name + "/cgroup.threads", "71\n72\n");
            host.file("/sys/fs/cgroup/unified/machine.slice/" + name + "/cgroup.controllers", "\n");
        }
        host.file("/proc/71/comm", "a\n");
        host.file("/proc/72/comm", "b\n");
    }

    /** A thread in a monitoring group below the control group above all. */
    private void place(int thread, String monitor) {
        host.file("/proc/" + thread + "/cpu_resctrl_groups", "res:/\nmon:" + monitor + "\n");
    }

    /** Its threads are in none then. */
    private void removed(String to) throws Exception {
        Files.move(host.at(GROUP), directory.resolve(to));
        place(71, "");
        place(72, "");
    }

    private IntensityMeter meter(String type) {
        return IntensityMeters.of(type, host, nanos::get, true);
    }

    @Test
    void whatIsDeclaredIsSaid() throws Exception {
        IntensityMeter declared = meter("declared");
        assertThat(declared.read(List.of(web, batch))).containsEntry("cgroup-7", new Intensity(0.25, ""));
        assertThat(declared.read(List.of(batch)).get("cgroup-8").why()).isEqualTo("nothing is declared of it");
        assertThat(declared.source()).startsWith("declared");
        assertThatThrownBy(() -> meter("guess")).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("got guess");
    }

    @Test
    void theSuperQueuesRefusalsAreARate() throws Exception {
        host.prints(List.of("     2.000000000;3000000;;offcore_requests_buffer.sq_full;machine.slice/web;1999000000;100.00;;",
                "     2.000000000;<not counted>;;offcore_requests_buffer.sq_full;machine.slice/batch;0;100.00;;"));
        host.prints(List.of());
        IntensityMeter perf = meter("perf-sq");
        assertThat(perf.read(List.of(web, batch))).containsEntry("cgroup-7", new Intensity(1.5e6, ""))
                .containsEntry("cgroup-8", new Intensity(0, ""));
        assertThat(host.asked()).containsExactly("perf stat -x ; -I 1000 -a -e offcore_requests_buffer.sq_full --for-each-cgroup"
                + " machine.slice/batch,machine.slice/web");
    }

    /** What perf 6.1 prints on a processor without it. */
    @ParameterizedTest
    @ValueSource(strings = {"event syntax error: 'offcore_requests_buffer.sq_full'",
        "     1.000412345;<not supported>;;offcore_requests_buffer.sq_full;machine.slice/web;0;100.00;;"})
    void aMachineWithoutTheEventIsOneClearLine(String line) throws Exception {
        host.prints(List.of(line));
        Intensity none = meter("perf-sq").read(List.of(web)).get("cgroup-7");
        assertThat(none.value()).isNaN();
        assertThat(none.why()).isEqualTo("this machine's processor, or its hypervisor, has no offcore_requests_buffer.sq_full"
                + " (Intel's counters are needed)");
    }

    @Test
    void aGuestWhoseThreadsAreElsewhereIsNotCounted() throws Exception {
        host.file("/sys/fs/cgroup/unified/machine.slice/web/cgroup.threads", "");
        assertThat(meter("perf-sq").read(List.of(web)).get("cgroup-7").why()).isEqualTo("its threads are not in its group of version 2");
        assertThat(host.asked()).isEmpty();
    }

    @Test
    void checkSaysWhetherThereAreSuchCounters() throws Exception {
        host.says("perf list --no-desc offcore_requests_buffer.sq_full", "\nList of pre-defined events (to be used in -e or -M):\n\n");
        assertThat(meter("perf-sq").lack().orElseThrow()).contains("has no offcore_requests_buffer.sq_full");
        host.says("perf list --no-desc offcore_requests_buffer.sq_full",
                "\nList of pre-defined events (to be used in -e or -M):\n\n\nmemory:\n  offcore_requests_buffer.sq_full\n");
        assertThat(meter("perf-sq").lack()).isEmpty();
        assertThat(meter("resctrl").lack().orElseThrow()).startsWith("no /sys/fs/resctrl/mon_groups");
        resctrl();
        assertThat(meter("resctrl").lack()).isEmpty();
    }

    private void resctrl() {
        host.file("/sys/fs/resctrl/mon_groups/.keep", "");
        place(71, "");
        place(72, "");
        place(73, "");
        host.kernel((path, text) -> {
            if (path.endsWith("/tasks")) {
                place(Integer.parseInt(text), "ic2-cgroup-7");
            }
            return text;
        });
        host.does("mkdir " + GROUP, words -> {
            host.file(GROUP + "/tasks", "");
            bytes(100, 50);
            return new CommandResult(0, "");
        });
        host.does("rmdir " + GROUP, words -> {
            Files.move(host.at(GROUP), directory.resolve("removed"));
            return new CommandResult(0, "");
        });
    }

    private void bytes(long one, long other) {
        host.file(GROUP + "/mon_data/mon_L3_00/mbm_total_bytes", one + "\n");
        host.file(GROUP + "/mon_data/mon_L3_01/mbm_total_bytes", other + "\n");
    }

    @Test
    void memoryTrafficIsCountedByAGroupThatIsRemovedAtTheEnd() throws Exception {
        resctrl();
        IntensityMeter resctrl = meter("resctrl");
        assertThat(resctrl.read(List.of(web)).get("cgroup-7").value()).as("no rate yet").isNaN();
        assertThat(host.written()).containsExactly(GROUP + "/tasks 71", GROUP + "/tasks 72");
        bytes(1_000_000_100L, 2_000_000_050L);
        nanos.addAndGet(2 * SECOND);
        assertThat(resctrl.read(List.of(web)).get("cgroup-7").value()).isEqualTo(1.5e9, offset(1.0));
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/tasks", "71\n73\n");
        nanos.addAndGet(SECOND);
        resctrl.read(List.of(web));
        assertThat(host.written()).as("a new thread joins").endsWith(GROUP + "/tasks 73").hasSize(3);
        resctrl.close();
        assertThat(host.at(GROUP)).doesNotExist();
    }

    @Test
    void aGuestThatEndsTakesItsGroupWithIt() throws Exception {
        resctrl();
        IntensityMeter resctrl = meter("resctrl");
        resctrl.read(List.of(web));
        resctrl.read(List.of());
        assertThat(host.at(GROUP)).doesNotExist();
    }

    @Test
    void aGroupThatWasThereIsUsedAndStays() throws Exception {
        resctrl();
        bytes(7, 8);
        host.file(GROUP + "/tasks", "");
        IntensityMeter resctrl = meter("resctrl");
        resctrl.read(List.of(web));
        assertThat(host.written()).hasSize(2);
        resctrl.read(List.of());
        resctrl.read(List.of(web));
        resctrl.close();
        assertThat(host.asked()).as("neither mkdir nor rmdir").isEmpty();
        assertThat(host.at(GROUP)).exists();
    }

    @Test
    void aGroupThatSomebodyRemovedIsMadeAnewAndCountsFromThere() throws Exception {
        resctrl();
        IntensityMeter resctrl = meter("resctrl");
        resctrl.read(List.of(web));
        nanos.addAndGet(SECOND);
        resctrl.read(List.of(web));
        removed("gone");
        nanos.addAndGet(SECOND);
        assertThat(resctrl.read(List.of(web)).get("cgroup-7")).as("no rate of another group's count")
                .isEqualTo(Intensity.none("counting has just begun"));
        assertThat(host.written()).as("its threads are in it again").hasSize(4).endsWith(GROUP + "/tasks 71", GROUP + "/tasks 72");
        bytes(1_000_000_100L, 50);
        nanos.addAndGet(SECOND);
        assertThat(resctrl.read(List.of(web)).get("cgroup-7").value()).isEqualTo(1e9, offset(1.0));
        resctrl.close();
        assertThat(host.at(GROUP)).doesNotExist();
    }

    @Test
    void aGroupThatSomebodyMadeInPlaceOfOursIsFilledAndStays() throws Exception {
        resctrl();
        IntensityMeter resctrl = meter("resctrl");
        resctrl.read(List.of(web));
        removed("gone");
        host.file(GROUP + "/tasks", "");
        bytes(5_000, 5_000);
        resctrl.read(List.of(web));
        assertThat(host.written()).hasSize(4);
        removed("gone too");
        host.file(GROUP + "/tasks", "");
        resctrl.close();
        assertThat(host.asked()).containsExactly("mkdir " + GROUP);
        assertThat(host.at(GROUP)).exists();
    }

    @Test
    void whoOnlyLooksReadsAnAgentsGroupsAndMakesNone() throws Exception {
        resctrl();
        IntensityMeter agent = meter("resctrl");
        agent.read(List.of(web));
        int written = host.written().size();
        int asked = host.asked().size();
        IntensityMeter looking = IntensityMeters.of("resctrl", host, nanos::get, false);
        assertThat(looking.read(List.of(web, batch)).get("cgroup-8").why())
                .isEqualTo("no /sys/fs/resctrl/mon_groups/ic2-cgroup-8: a running agent makes it, advise makes none");
        bytes(1_000_000_100L, 50);
        nanos.addAndGet(SECOND);
        assertThat(looking.read(List.of(web)).get("cgroup-7").value()).isEqualTo(1e9, offset(1.0));
        looking.close();
        assertThat(host.written()).hasSize(written);
        assertThat(host.asked()).hasSize(asked);
        assertThat(agent.read(List.of(web)).get("cgroup-7").value()).as("the agent still counts").isEqualTo(1e9, offset(1.0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Unavailable", "Error", "", "-1"})
    void whatIsNoCountIsSaid(String text) throws Exception {
        resctrl();
        IntensityMeter resctrl = meter("resctrl");
        resctrl.read(List.of(web));
        host.file(GROUP + "/mon_data/mon_L3_01/mbm_total_bytes", text + "\n");
        assertThat(resctrl.read(List.of(web)).get("cgroup-7").why()).contains("expected bytes in").endsWith("got \"" + text + "\"");
    }

    @Test
    void withoutResctrlItSaysSoAndMakesNothing() throws Exception {
        IntensityMeter resctrl = meter("resctrl");
        assertThat(resctrl.read(List.of(web)).get("cgroup-7").why()).startsWith("no /sys/fs/resctrl/mon_groups: ");
        resctrl.close();
        assertThat(host.asked()).isEmpty();
    }

    @Test
    void aFullTableIsSaid() throws Exception {
        resctrl();
        host.does("mkdir " + GROUP, words -> new CommandResult(1, "mkdir: cannot create directory: No space left on device"));
        assertThat(meter("resctrl").read(List.of(web)).get("cgroup-7").why()).contains("No space left on device");
    }

    @Test
    void aCanaryFeelsTheHostAndNotOneOfManyGuests() throws Exception {
        AtomicLong step = new AtomicLong(SECOND);
        IntensityMeter canary = IntensityMeters.of("canary", host, () -> nanos.getAndAdd(step.get()), true);
        assertThat(canary.read(List.of(web)).get("cgroup-7").value()).isZero();
        step.set(3 * SECOND);
        assertThat(canary.read(List.of(web)).get("cgroup-7").value()).isEqualTo(2, offset(1e-9));
        assertThat(canary.read(List.of(web, batch)).get("cgroup-8").value()).isNaN();
        assertThat(canary.read(List.of(web, batch)).get("cgroup-8").why()).contains("not a guest");
        canary.close();
    }
}
