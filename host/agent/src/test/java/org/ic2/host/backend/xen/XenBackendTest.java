// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.loop.Controllers;
import org.ic2.host.loop.HostFit;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dom0 and three burners on two CPUs, as recorded, the guests pinned to one. */
class XenBackendTest {
    private static final String UUID = "d2453411-99c8-4123-814f-f9eb8fdb7d3";
    private static final String POOLS = "Name               CPUs   Sched     Active   Domain count\n"
            + "Pool-0               2    credit       y          4\n";
    private static final String STORED = "xenstore-read /local/domain/%1$d/vm /local/domain/%1$d/memory/static-max"
            + " /local/domain/%1$d/memory/target /local/domain/%1$d/memory/videoram";

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
        host.says("xl cpupool-list", POOLS);
        host.says("xl cpupool-list -c", "Name               CPU list\nPool-0             0-1\n");
        host.says("xl vcpu-list", XenSamples.of("19-xl-vcpu-list").output());
        xenstore = new PlayedXenstore(host);
        for (int id = 1; id <= 3; id++) {
            xenstore.guest(id, UUID + id);
        }
    }

    /** The package's example. */
    @Test
    void theExampleFits() throws Exception {
        HostConfig config = HostConfigReader.load(Path.of("../../packaging/host/host.yaml")).withMode(Mode.ACT);
        Controllers.of(config);
        assertThat(Controllers.lacking(config, xen.capabilities())).isEmpty();
        assertThat(Controllers.problem(config, xen.capabilities(), xen.pools())).isEmpty();
        assertThat(HostFit.problems(config, xen)).isEmpty();
    }

    /** What was asked since there were so many questions. */
    private List<String> askedSince(int before) {
        return host.asked().subList(before, host.asked().size());
    }

    private Guest guest(int id) throws Exception {
        return xen.guests().stream().filter(guest -> guest.id().equals(Integer.toString(id))).findFirst().orElseThrow();
    }

    private GuestKnob knob(KnobKind kind, int id) throws Exception {
        return GuestKnob.of(kind, guest(id));
    }

    private static GuestKnob pool(KnobKind kind, String name) {
        return GuestKnob.of(kind, new Pool(name, "credit", List.of()));
    }

    @Test
    void guestsAreNumbersWithAnIdentity() throws Exception {
        assertThat(xen.guests()).extracting(Guest::name).containsExactly("Domain-0", "g1", "g2", "g3");
        assertThat(xen.guests().get(0).guestClass()).isEqualTo(GuestClass.HOST);
        assertThat(guest(3).uuid()).isEqualTo(UUID + "3/3");
        assertThat(guest(3).memMax()).isEqualTo(163_840 * 1024L);
    }

    @Test
    void aGuestStartedAnewIsAnother() throws Exception {
        Guest before = guest(3);
        host.says("xl list", XenSamples.of("18-xl-list").output().replace("3    96", "7    96"));
        xenstore.guest(7, UUID + "3");
        nanos.addAndGet(2_000_000_000L);
        assertThat(xen.guests()).noneMatch(before::is);
    }

    @Test
    void aNumberUsedAgainIsAnotherGuest() throws Exception {
        GuestKnob knob = knob(KnobKind.WEIGHT, 3);
        GuestKnob cap = knob(KnobKind.CAP, 3);
        xenstore.guest(3, UUID + "9");
        nanos.addAndGet(5_000_000_000L);
        int asked = host.asked().size();
        assertThatThrownBy(() -> xen.set(knob, 512)).isInstanceOf(NotDoneException.class).hasMessageContaining("another guest");
        assertThatThrownBy(() -> xen.setTogether(Map.of(knob, "512", cap, "0"))).isInstanceOf(NotDoneException.class)
                .hasMessage("cannot set g3's cap to 0 and g3's weight to 512: domain 3 is another guest now");
        assertThat(askedSince(asked)).noneMatch(line -> line.contains("-w"));
        host.says("xl list", XenSamples.of("18-xl-list").output().replace("22.4", " 0.4"));
        nanos.addAndGet(2_000_000_000L);
        assertThat(guest(3).uuid()).as("its time went back").isEqualTo(UUID + "9/3");
    }

    @Test
    void valuesComeFromTheListings() throws Exception {
        assertThat(xen.get(knob(KnobKind.WEIGHT, 3))).isEqualTo(1024);
        assertThat(xen.get(knob(KnobKind.CAP, 3))).as("25 %").isEqualTo(250);
        assertThat(xen.get(knob(KnobKind.CAP, 1))).as("no limit").isZero();
        assertThat(xen.get(knob(KnobKind.MEMORY, 1))).isEqualTo(96);
        assertThat(xen.get(pool(KnobKind.TSLICE, "Pool-0"))).isEqualTo(30);
        assertThat(xen.get(pool(KnobKind.RATELIMIT, "Pool-0"))).isEqualTo(1000);
    }

    @Test
    void severalQuestionsOfOneMomentAreOneCommand() throws Exception {
        GuestKnob weight = knob(KnobKind.WEIGHT, 3);
        GuestKnob cap = knob(KnobKind.CAP, 2);
        xen.get(weight);
        xen.get(cap);
        assertThat(host.asked().stream().filter("xl sched-credit"::equals)).hasSize(1);
        host.says("xl sched-credit -d 3 -w 512", "");
        xen.set(weight, 512);
        host.says("xl sched-credit", XenSamples.of("15-set-cap").from("Cpupool Pool-0").replace("1024", " 512"));
        assertThat(xen.get(weight)).as("after a change the listing is a new one").isEqualTo(512);
    }

    /** Each command is a process, and some ms of Dom0's. */
    @Test
    void aWeightIsMovedByTwoCommandsAndALookAtWhoItIs() throws Exception {
        host.says("xl sched-credit", XenSamples.of("15-set-cap").from("Cpupool Pool-0").replace("25\n", " 0\n"));
        GuestKnob weight = knob(KnobKind.WEIGHT, 3);
        assertThat(xen.get(weight)).isEqualTo(1024);
        host.says("xl sched-credit -d 3 -w 512", "");
        int asked = host.asked().size();
        assertThat(xen.objections(Map.of(weight, 512))).as("no guest has a cap").isEmpty();
        xen.set(weight, 512);
        xen.get(weight);
        assertThat(askedSince(asked)).containsExactly("xl sched-credit -d 3 -w 512", "xl sched-credit");
        nanos.addAndGet(5_000_000_000L);
        xen.get(weight);
        int later = host.asked().size();
        xen.set(weight, 512);
        assertThat(askedSince(later)).as("it may be another guest by now")
                .containsExactly(STORED.formatted(3), "xl sched-credit -d 3 -w 512");
    }

    /** Nothing is listed again in between: who is in which pool does not depend on what we change. */
    @Test
    void whatOneCommandTakesIsOneCommand() throws Exception {
        host.says("xl sched-credit -d 3 -w 256 -c 40", "");
        host.says("xl sched-credit -d 2 -w 256 -c 0", "");
        host.says("xl sched-credit -s -p Pool-0 -t 5 -r 1500", "");
        GuestKnob weight = knob(KnobKind.WEIGHT, 3);
        GuestKnob cap = knob(KnobKind.CAP, 3);
        GuestKnob slice = pool(KnobKind.TSLICE, "Pool-0");
        GuestKnob limit = pool(KnobKind.RATELIMIT, "Pool-0");
        assertThat(xen.company(weight)).isEqualTo(xen.company(cap)).isNotEqualTo(xen.company(knob(KnobKind.WEIGHT, 2)))
                .isNotEqualTo(xen.company(knob(KnobKind.MEMORY, 3)));
        assertThat(xen.company(slice)).isEqualTo(xen.company(limit));
        xen.get(weight);
        int asked = host.asked().size();

        xen.setTogether(Map.of(weight, "256", cap, "400"));
        xen.setTogether(Map.of(knob(KnobKind.CAP, 2), "0", knob(KnobKind.WEIGHT, 2), "256"));
        xen.setTogether(Map.of(slice, "5", limit, "1500"));

        assertThat(askedSince(asked)).filteredOn(line -> !line.equals("xl list")).containsExactly("xl sched-credit -d 3 -w 256 -c 40",
                "xl sched-credit -d 2 -w 256 -c 0", "xl sched-credit -s -p Pool-0 -t 5 -r 1500");
        assertThatThrownBy(() -> xen.setTogether(Map.of(slice, "5", limit, "5001"))).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("no rate limit (5001 us) above the time slice (5 ms)");
        assertThatThrownBy(() -> xen.setTogether(Map.of(weight, "256", cap, "all"))).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("g3's cap: expected a number to put back, got \"all\"");
    }

    @Test
    void whoIsFoundUnderCredit1IsNotSoughtUnderCredit2() throws Exception {
        assertThat(xen.membership()).isEqualTo(Map.of("0", "Pool-0", "1", "Pool-0", "2", "Pool-0", "3", "Pool-0"));
        assertThat(host.asked()).doesNotContain("xl sched-credit2");
        host.says("xl sched-credit", XenSamples.of("39-cpupool-credit2").between("Cpupool Pool-0: tslice", "Cpupool Pool-G"));
        host.says("xl sched-credit2", XenSamples.of("39-cpupool-credit2").between("Cpupool Pool-G: ratelimit", "Cpupool Pool-0: [sched"));
        nanos.addAndGet(2_000_000_000L);
        assertThat(xen.membership()).containsEntry("0", "Pool-0").containsEntry("3", "Pool-G");
    }

    @Test
    void aPoolThatNoSchedulerListsHasNoKnobs() throws Exception {
        assertThat(xen.has(new Target.OfPool("Pool-0"))).isTrue();
        assertThat(xen.has(new Target.OfPool("Pool-9"))).isFalse();
        host.says("xl sched-credit", "Segmentation fault\n");
        nanos.addAndGet(5_000_000_000L);
        assertThatThrownBy(() -> xen.has(new Target.OfPool("Pool-0"))).isInstanceOf(IOException.class);
    }

    @Test
    void aPoolIsGoneOnlyIfTheListOfPoolsSaysSo() throws Exception {
        Target.OfPool pool = new Target.OfPool("Pool-0");
        assertThat(xen.has(pool)).isTrue();
        assertThat(host.asked()).as("who is listed needs no more").doesNotContain("xl cpupool-list");
        host.says("xl sched-credit", "");
        nanos.addAndGet(5_000_000_000L);
        assertThatThrownBy(() -> xen.has(pool)).isInstanceOf(IOException.class)
                .hasMessage("xl sched-credit does not list pool Pool-0, which has that scheduler by xl cpupool-list; it is asked again");
        host.says("xl cpupool-list", "");
        nanos.addAndGet(5_000_000_000L);
        assertThatThrownBy(() -> xen.has(pool)).isInstanceOf(IOException.class).hasMessageContaining("xl cpupool-list");
        host.says("xl cpupool-list", POOLS.replace("credit ", "rtds   "));
        nanos.addAndGet(5_000_000_000L);
        assertThat(xen.has(pool)).as("under another scheduler").isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/vm/%s\n163840\n", "/vm/%1$s\n163840\n/vm/%1$s\n163840\n/vm/%1$s\nmuch\n",
        "/vm/%1$s\n163840\n163840\n/vm/%1$s\n/vm/%1$s\n163840\n"})
    void garbageOfXenstoreIsNobody(String output) {
        host.does("xenstore-read", words -> new CommandResult(0, output.formatted(UUID + "1")));
        assertThatThrownBy(xen::guests).isInstanceOf(IOException.class).hasMessageContaining("expected /vm/UUID and a number of KiB");
    }

    @Test
    void aGuestThatEndsWhileItIsListedIsSaid() {
        host.says("xl list", XenSamples.of("18-xl-list").output().replace("3    96", "7    96"));
        assertThatThrownBy(xen::guests).isInstanceOf(IOException.class).hasMessageContaining("couldn't read path /local/domain/7/vm");
    }

    @Test
    void commandsHaveNumbersAndPercent() throws Exception {
        host.says("xl sched-credit -d 3 -c 40", "");
        host.says("xl sched-credit -d 3 -c 1", "");
        host.says("xl sched-credit -d 3 -c 0", "");
        host.says("xl mem-set 1 64", "");
        GuestKnob cap = knob(KnobKind.CAP, 3);
        xen.set(cap, 400);
        xen.set(cap, 4);
        xen.set(cap, 0);
        xen.set(knob(KnobKind.MEMORY, 1), 64);
        assertThat(host.asked()).contains("xl sched-credit -d 3 -c 40", "xl sched-credit -d 3 -c 1", "xl sched-credit -d 3 -c 0",
                "xl mem-set 1 64");
    }

    @Test
    void aBalloonOnItsWayShowsInWhatIsInForce() throws Exception {
        host.says("xl mem-set 1 64", "");
        GuestKnob memory = knob(KnobKind.MEMORY, 1);
        xen.set(memory, 64);
        host.says("xl list", XenSamples.of("37-mem-set").output().substring(0,
                XenSamples.of("37-mem-set").output().indexOf("Name", 1)));
        assertThat(xen.get(memory)).isEqualTo(84);
        host.says("xl list", XenSamples.of("18-xl-list").output());
        nanos.addAndGet(50_000_000);
        assertThat(xen.get(memory)).as("a listing of this moment").isEqualTo(84);
        nanos.addAndGet(50_000_000);
        assertThat(xen.get(memory)).as("where a balloon moves a moment is short").isEqualTo(96);
        nanos.addAndGet(10_000_000_000L);
        assertThat(xen.get(memory)).isEqualTo(96);
        int asked = host.asked().size();
        nanos.addAndGet(900_000_000);
        assertThat(xen.get(memory)).isEqualTo(96);
        assertThat(askedSince(asked)).as("it has come, or never will").isEmpty();
        assertThat(xen.gradual(KnobKind.MEMORY)).isTrue();
    }

    @Test
    void theRateLimitStaysBelowTheSlice() throws Exception {
        host.says("xl sched-credit -s -p Pool-0 -t 5 -r 1000", "");
        xen.set(pool(KnobKind.TSLICE, "Pool-0"), 5);
        assertThatThrownBy(() -> xen.set(pool(KnobKind.RATELIMIT, "Pool-0"), 31_000)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("raise the time slice first");
        host.says("xl sched-credit", "Cpupool Pool-0: tslice=30ms ratelimit=9000us migration-delay=0us\n");
        nanos.addAndGet(2_000_000_000L);
        assertThatThrownBy(() -> xen.set(pool(KnobKind.TSLICE, "Pool-0"), 5)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("lower the rate limit first");
    }

    @Test
    void whatXlRefusesIsNotDone() throws Exception {
        host.does("xl sched-credit -s -p Pool-0 -t 5 -r 1000",
                words -> new CommandResult(1, "", XenSamples.of("17-set-sched-params").errors(), false));
        assertThatThrownBy(() -> xen.set(pool(KnobKind.TSLICE, "Pool-0"), 5)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("libxl_sched_credit_params_set failed");
    }

    @Test
    void whatAHungXlDoesCannotBeTold() throws Exception {
        GuestKnob weight = knob(KnobKind.WEIGHT, 3);
        host.does("xl sched-credit -d 3 -w 512", words -> {
            throw new IOException("xl did not end within 10000 ms and was killed");
        });
        assertThatThrownBy(() -> xen.set(weight, 512)).isExactlyInstanceOf(IOException.class);
    }

    @Test
    void underCredit2ThereIsNoSlice() throws Exception {
        XenSamples.Sample two = XenSamples.of("39-cpupool-credit2");
        host.says("xl sched-credit", two.between("Cpupool Pool-0: tslice", "Cpupool Pool-G"));
        host.says("xl sched-credit2", two.between("Cpupool Pool-G: ratelimit", "Cpupool Pool-0: [sched"));
        host.says("xl sched-credit2 -d 3 -w 1024", "");
        host.says("xl sched-credit2 -s -p Pool-G -r 5000", "");
        xen.set(knob(KnobKind.WEIGHT, 3), 1024);
        xen.set(pool(KnobKind.RATELIMIT, "Pool-G"), 5000);
        assertThatThrownBy(() -> xen.get(pool(KnobKind.TSLICE, "Pool-G"))).hasMessageContaining("Credit2 knows none");
        assertThatThrownBy(() -> xen.set(pool(KnobKind.TSLICE, "Pool-G"), 5)).isInstanceOf(NotDoneException.class);
    }

    @Test
    void aDomainThatNoSchedulerListsHasNoWeight() throws Exception {
        GuestKnob weight = knob(KnobKind.WEIGHT, 3);
        host.says("xl sched-credit", XenSamples.of("04-xl-sched-credit").output());
        assertThatThrownBy(() -> xen.get(weight)).isInstanceOf(IOException.class).hasMessageContaining("lists domain 3");
        assertThatThrownBy(() -> xen.set(weight, 512)).isInstanceOf(NotDoneException.class);
    }

    @Test
    void weightsOfPinnedGuestsAreSaidToBeVoid() throws Exception {
        assertThat(xen.capabilities().notes()).anyMatch(note -> note.startsWith("g1: its weight is void"));
        assertThat(xen.capabilities().knobs()).containsKeys(KnobKind.TSLICE, KnobKind.CAP, KnobKind.MEMORY);
        host.says("xl cpupool-list", "Name CPUs Sched Active Domain count\n"
                + "Pool-0               1    credit       y          4\n");
        host.says("xl cpupool-list -c", "Name               CPU list\nPool-0             1\n");
        nanos.addAndGet(2_000_000_000L);
        assertThat(xen.capabilities().notes()).as("all of a pool of one CPU").noneMatch(note -> note.startsWith("g1"));
    }

    @Test
    void aCapAboveAShareIsObjectedTo() throws Exception {
        // 256 + 256 + 512 + 1024 on two CPUs: 25 % of a CPU for g1, 100 % for g3
        assertThat(xen.objections(Map.of(knob(KnobKind.CAP, 3), 900))).isEmpty();
        assertThat(xen.objections(Map.of(knob(KnobKind.CAP, 1), 200))).isEmpty();
        assertThat(xen.objections(Map.of(knob(KnobKind.CAP, 1), 500)).get(knob(KnobKind.CAP, 1)))
                .contains("g1: its cap of 50 % is above the 25.0 %");
        assertThat(xen.objections(Map.of(knob(KnobKind.CAP, 1), 0))).isEmpty();
        assertThat(xen.objections(Map.of(knob(KnobKind.WEIGHT, 2), 43_008)).get(knob(KnobKind.WEIGHT, 2)))
                .as("it would leave g3 a share below its cap of 25 %")
                .startsWith("g2's weight: with what else is wanted it parks g3: its cap of 25 % is above the 4.6 %");
        assertThat(xen.objections(Map.of(pool(KnobKind.TSLICE, "Pool-0"), 5))).isEmpty();
    }

    @Test
    void aReadingHasTheUseOfItsRounds() throws Exception {
        List<String> lines = XenSamples.of("12-xentop-equal-weights").lines();
        host.prints(lines);
        host.prints(lines.subList(0, 5));
        HostSample first = xen.read(Instant.EPOCH, Set.of());
        assertThat(first.get(guest(1), GuestMetric.CPU_RUN)).isEqualTo(0.335, offset(1e-9));
        assertThat(first.get(guest(1), GuestMetric.MEM_ALLOC)).isEqualTo(96 * 1024 * 1024.0);
        assertThat(first.get(HostMetric.VCPU_RATIO)).isEqualTo(1.5);
        assertThat(first.get(HostMetric.MEM_FREE)).isEqualTo(878 * 1024 * 1024.0);
        HostSample second = xen.read(Instant.EPOCH, Set.of());
        assertThat(second.get(guest(3), GuestMetric.CPU_RUN)).as("the third round").isEqualTo(0.335, offset(1e-9));
        assertThat(second.get(guest(3), GuestMetric.NET_BYTES)).isZero();
        HostSample third = xen.read(Instant.EPOCH, Set.of());
        assertThat(third.get(guest(3), GuestMetric.CPU_RUN)).as("xentop has ended").isNaN();
        assertThat(third.byUuid().get(guest(3).uuid()).why(GuestMetric.CPU_RUN)).contains("it has ended");
        assertThat(host.asked()).contains("stdbuf -oL xentop -b -f -d 1").noneMatch(line -> line.startsWith("xentrace"));
    }

    private void traced() {
        host.says("xentrace -D -e 0x0002f000 -T 4 -S 256 /run/ic2-host.xentrace", "");
        host.says("xenalyze -s --cpu-hz 2.596143G /run/ic2-host.xentrace",
                XenSamples.of("36-trace-credit1-equal-xenalyze").output());
        host.says("rm -f /run/ic2-host.xentrace", "");
    }

    @Test
    void aTraceIsTakenOnlyWhereItIsWanted() throws Exception {
        traced();
        HostSample sample = xen.read(Instant.EPOCH, Set.of(GuestMetric.CPU_WAIT));
        assertThat(sample.get(guest(1), GuestMetric.CPU_WAIT)).isEqualTo(1.88 / 3, offset(0.01));
        assertThat(sample.get(guest(3), GuestMetric.CPU_THROTTLED)).as("capped, and never parked").isZero();
        assertThat(host.asked().get(host.asked().size() - 1)).isNotEqualTo("xentrace");
        assertThat(host.asked()).contains("rm -f /run/ic2-host.xentrace");
    }

    /** The clock of a trace is the same for ever, and who is found under Credit1 is not sought under Credit2. */
    @Test
    void theNextTraceTakesNoMoreCommandsThanItMust() throws Exception {
        traced();
        xen.read(Instant.EPOCH, Set.of(GuestMetric.CPU_WAIT));
        int asked = host.asked().size();
        nanos.addAndGet(2_000_000_000L);
        xen.read(Instant.EPOCH, Set.of(GuestMetric.CPU_WAIT));
        assertThat(host.asked().subList(asked, host.asked().size())).containsExactly("xl list",
                "rm -f /run/ic2-host.xentrace", "xentrace -D -e 0x0002f000 -T 4 -S 256 /run/ic2-host.xentrace",
                "xenalyze -s --cpu-hz 2.596143G /run/ic2-host.xentrace", "rm -f /run/ic2-host.xentrace", "xl sched-credit", "xl info");
        assertThat(host.asked()).doesNotContain("xl sched-credit2");
    }

    @Test
    void outputThatIsNotUnderstoodStopsTheReading() {
        host.says("xl list", "Segmentation fault\n");
        assertThatThrownBy(() -> xen.read(Instant.EPOCH, Set.of())).isInstanceOf(IOException.class)
                .hasMessageContaining("Segmentation fault");
        host.does("xl list", words -> new CommandResult(0, "Name", "", true));
        assertThatThrownBy(xen::guests).hasMessageContaining("256 KiB");
        host.does("xl list", words -> new CommandResult(1, "", "xencall: error: Could not obtain handle", false));
        assertThatThrownBy(xen::guests).hasMessageContaining("Could not obtain handle");
    }

    @Test
    void memoryInUseIsWhatTheGuestsOwnAgentSays() throws Exception {
        String asked = "xenstore-read /local/domain/%d/data/meminfo_total /local/domain/%d/data/meminfo_free";
        host.says(asked.formatted(1, 1), "90000\n30000\n");
        host.says(asked.formatted(2, 2), "30000\n90000\n");
        host.does(asked.formatted(3, 3), words -> new CommandResult(1, "", "xenstore-read: couldn't read path", false));
        HostSample sample = xen.read(Instant.EPOCH, Set.of(GuestMetric.MEM_USED));
        assertThat(sample.get(guest(1), GuestMetric.MEM_USED)).isEqualTo(60_000 * 1024);
        assertThat(sample.get(guest(2), GuestMetric.MEM_USED)).as("more free than there is").isNaN();
        assertThat(sample.byUuid().get(guest(3).uuid()).why(GuestMetric.MEM_USED)).contains("data/meminfo_free");
        assertThat(xen.read(Instant.EPOCH, Set.of()).get(guest(1), GuestMetric.MEM_USED)).as("nobody wants it").isNaN();
    }
}
