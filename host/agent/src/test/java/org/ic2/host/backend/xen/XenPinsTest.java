// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recorded Dom0 and three guests on two CPUs: virtual CPUs are pinned hard, and read back. */
class XenPinsTest {
    private static final String UUID = "d2453411-99c8-4123-814f-f9eb8fdb7d3";
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path directory;
    private PlayedHost host;
    private XenBackend xen;
    private PlayedXenstore xenstore;
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        xen = new XenBackend(host, nanos::get);
        host.says("xl list", XenSamples.of("18-xl-list").output());
        host.says("xl info", XenSamples.of("01-xl-info").output());
        host.says("xl sched-credit", XenSamples.of("15-set-cap").from("Cpupool Pool-0"));
        host.says("xl sched-credit2", XenSamples.of("06-xl-sched-credit2-wrong-sched").output());
        host.says("xl cpupool-list", "Name               CPUs   Sched     Active   Domain count\n"
                + "Pool-0               2    credit       y          4\n");
        host.says("xl cpupool-list -c", "Name               CPU list\nPool-0             0-1\n");
        affinity("1");
        xenstore = new PlayedXenstore(host);
        for (int id = 1; id <= 3; id++) {
            xenstore.guest(id, UUID + id);
        }
    }

    /** Of g3, as {@code xl vcpu-list} says it; all others are as recorded. */
    private void affinity(String hard) {
        host.says("xl vcpu-list", XenSamples.of("19-xl-vcpu-list").output().replaceFirst("(?m)(^g3 .*)  1 / all$", "$1  " + hard
                + " / all"));
    }

    private GuestKnob knob(int id) throws Exception {
        Guest found = xen.guests().stream().filter(guest -> guest.id().equals(Integer.toString(id))).findFirst().orElseThrow();
        return GuestKnob.of(KnobKind.AFFINITY, found, 0);
    }

    @Test
    void theRecordedAffinitiesAreRead() throws Exception {
        assertThat(xen.get(knob(3))).isEqualTo(1);
        assertThat(xen.get(knob(0))).as("Dom0").isZero();
        host.says("xl vcpu-list", XenSamples.of("10-xl-vcpu-pin-setup").output());
        assertThat(xen.get(knob(1))).isEqualTo(1);
        nanos.addAndGet(2 * SECOND);
        host.says("xl vcpu-list", XenSamples.of("03-xl-vcpu-list-dom0").output());
        assertThat(xen.get(knob(0))).as("all").isEqualTo(-1);
        assertThatThrownBy(() -> xen.get(knob(1))).isInstanceOf(IOException.class).hasMessageContaining("no virtual CPU 0 of domain 1");
        assertThat(xen.capabilities().range(KnobKind.AFFINITY)).contains(new Range(0, 1, 1));
        assertThat(xen.has(GuestKnob.of(KnobKind.CPUSET, xen.guests().get(1)))).isFalse();
    }

    @Test
    void aPinIsHardAndItsRestoreIsExact() throws Exception {
        affinity("0,2-3");
        GuestKnob knob = knob(3);
        String before = xen.exact(knob);
        assertThat(before).isEqualTo("0,2-3");
        assertThat(xen.get(knob)).isLessThan(-1);
        host.does("xl vcpu-pin 3 0 1", words -> {
            affinity("1");
            return new CommandResult(0, "");
        });
        host.does("xl vcpu-pin 3 0 0,2-3", words -> {
            affinity("0,2-3");
            return new CommandResult(0, "");
        });
        xen.set(knob, 1);
        assertThat(xen.get(knob)).as("read back, at once").isEqualTo(1);
        xen.putBack(knob, before);
        assertThat(xen.exact(knob)).isEqualTo(before);
        affinity("all");
        nanos.addAndGet(2 * SECOND);
        assertThat(xen.exact(knob)).isEqualTo("all");
        host.says("xl vcpu-pin 3 0 all", "");
        xen.putBack(knob, "all");
    }

    @Test
    void whereTheNumberIsAnotherGuestsNothingIsPinned() throws Exception {
        GuestKnob knob = knob(3);
        xenstore.guest(3, UUID + "9");
        nanos.addAndGet(5 * SECOND);
        assertThatThrownBy(() -> xen.set(knob, 0)).isInstanceOf(NotDoneException.class).hasMessageContaining("another guest");
        assertThatThrownBy(() -> xen.putBack(knob, "0-1")).isInstanceOf(NotDoneException.class);
        assertThat(host.asked()).noneMatch(line -> line.contains("vcpu-pin"));
    }

    @Test
    void aRefusalIsNotDone() throws Exception {
        GuestKnob knob = knob(3);
        host.does("xl vcpu-pin 3 0 1", words -> new CommandResult(1, "libxl: error: libxl_sched.c:62:libxl__set_vcpuaffinity: "
                + "Domain 3:Setting vcpu affinity"));
        assertThatThrownBy(() -> xen.set(knob, 1)).isInstanceOf(NotDoneException.class).hasMessageContaining("xl vcpu-pin 3 0 1 failed");
    }

    @Test
    void aCpuOutsideThePoolIsObjectedTo() throws Exception {
        assertThat(xen.objections(Map.of(knob(3), 1))).isEmpty();
        assertThat(xen.objections(Map.of(knob(3), 2))).containsEntry(knob(3),
                "g3 vCPU 0's affinity: CPU 2 is not in its pool Pool-0, which has 0-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "none", "1 2", "-1", "1;2", "all / all"})
    void whatIsNoListIsNotPutBack(String exact) throws Exception {
        GuestKnob knob = knob(3);
        assertThatThrownBy(() -> xen.putBack(knob, exact)).isInstanceOf(NotDoneException.class);
        assertThat(host.asked()).noneMatch(line -> line.contains("vcpu-pin"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "1-", "x"})
    void garbageIsNoAffinity(String hard) throws Exception {
        GuestKnob knob = knob(3);
        affinity(hard);
        assertThatThrownBy(() -> xen.get(knob)).isInstanceOf(IOException.class).hasMessageContaining("xl vcpu-list");
    }
}
