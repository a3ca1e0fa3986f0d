// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.ic2.host.model.Pool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XenTablesTest {
    private static final String DOMAINS = "Name                                        ID   Mem VCPUs\tState\tTime(s)\n";
    private static final double HZ = 2.596e9;

    @Test
    void domainsHaveMemoryAndTime() throws IOException {
        assertThat(XlDomains.parse(XenSamples.of("18-xl-list").output()))
                .extracting(XlDomains.Domain::name, XlDomains.Domain::id, XlDomains.Domain::mib, XlDomains.Domain::seconds)
                .containsExactly(tuple("Domain-0", 0, 900, 26.0), tuple("g1", 1, 96, 37.9), tuple("g2", 2, 96, 28.3),
                        tuple("g3", 3, 96, 22.4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-d", "web 1", "a  b", "7 96 1", "x                                                    y"})
    void aNameMayHoldAnything(String name) throws IOException {
        String row = String.format("%-40s %5d %5d %5d     r-----  %8.1f%n", name, 7, 96, 1, 8.7);
        assertThat(XlDomains.parse(DOMAINS + row)).extracting(XlDomains.Domain::name, XlDomains.Domain::id)
                .containsExactly(tuple(name, 7));
        String weight = "Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us\nName   ID Weight  Cap\n"
                + String.format("%-33s %4d %6d %4d%n", name, 7, 512, 25);
        assertThat(XlSchedule.parse("xl sched-credit", weight).get(0).domains())
                .containsExactly(new XlSchedule.Domain(name, 7, 512, 25));
        String vcpu = "Name  ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)\n"
                + String.format("%-32s %5d %5d %5d   r--  %9.1f  1 / all%n", name, 7, 0, 1, 8.7);
        assertThat(XlVcpus.parse(vcpu)).containsExactly(new XlVcpus.Vcpu(name, 7, 0, Optional.of(List.of(1))));
    }

    @Test
    void aDomainOnItsWayOutIsKnownForOne() throws IOException {
        String rows = "(null)  3     0     1     --ps-d       3.5\n" + "g4   4     96     1     ---s--       3.5\n";
        assertThat(XlDomains.parse(DOMAINS + rows)).allMatch(XlDomains.Domain::dying);
    }

    @Test
    void vcpusHaveTheirAffinity() throws IOException {
        assertThat(XlVcpus.parse(XenSamples.of("19-xl-vcpu-list").output())).extracting(XlVcpus.Vcpu::domain, XlVcpus.Vcpu::hard)
                .containsExactly(tuple(0, Optional.of(List.of(0))), tuple(1, Optional.of(List.of(1))),
                        tuple(2, Optional.of(List.of(1))), tuple(3, Optional.of(List.of(1))));
        assertThat(XlVcpus.parse(XenSamples.of("31-cpupool-migrate").between("Name                                ID  VCPU",
                "Cpupool"))).extracting(XlVcpus.Vcpu::hard).containsExactly(Optional.of(List.of(0)), Optional.empty(),
                        Optional.empty(), Optional.empty());
        String offline = "Name  ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)\n"
                + "g1     1     1     -   --p       0.0  0-2,5 / all\n";
        assertThat(XlVcpus.parse(offline)).extracting(XlVcpus.Vcpu::hard).containsExactly(Optional.of(List.of(0, 1, 2, 5)));
    }

    @Test
    void poolsHaveTheirCpus() throws IOException {
        XenSamples.Sample made = XenSamples.of("30-cpupool-create-credit");
        String table = made.between("Name               CPUs", "Name               CPU list");
        String lists = made.from("Name               CPU list");
        assertThat(XlPools.parse(table, lists))
                .containsExactly(new Pool("Pool-0", "credit", List.of(0)), new Pool("Pool-G", "credit", List.of(1)));
    }

    @Test
    void aLongPoolNameRunsIntoItsList() throws IOException {
        String table = "Name               CPUs   Sched     Active   Domain count\n"
                + "pool of all the webs  2    credit       y          1\n"
                + "pool                 1    credit       y          1\n";
        String lists = "Name               CPU list\npool of all the webs0-1\npool               2\n";
        assertThat(XlPools.parse(table, lists)).extracting(Pool::cpus).containsExactly(List.of(0, 1), List.of(2));
    }

    @Test
    void aPoolsScheduleIsReadAndTheOtherSchedulersLeftOut() throws IOException {
        List<XlSchedule.OfPool> one = XlSchedule.parse("xl sched-credit", XenSamples.of("32-xentop-credit1-pool-weights-1-2-4")
                .between("Cpupool Pool-0", "      NAME"));
        assertThat(one).extracting(XlSchedule.OfPool::name, XlSchedule.OfPool::tslice, XlSchedule.OfPool::ratelimit)
                .containsExactly(tuple("Pool-0", OptionalInt.of(30), 1000), tuple("Pool-G", OptionalInt.of(30), 1000));
        assertThat(one.get(1).domains()).extracting(XlSchedule.Domain::weight).containsExactly(256, 512, 1024);
        List<XlSchedule.OfPool> two = XlSchedule.parse("xl sched-credit2", XenSamples.of("60-c2-00-sched-s").between("Cpupool",
                "Cpupool"));
        assertThat(two).extracting(XlSchedule.OfPool::tslice, XlSchedule.OfPool::ratelimit)
                .containsExactly(tuple(OptionalInt.empty(), 1000));
        assertThat(XlSchedule.parse("xl sched-credit2 -s", "Cpupool Pool-0: [sched params unavailable]\n")).isEmpty();
        assertThat(XenSamples.of("39-cpupool-credit2").output()).contains("Cpupool Pool-0: [sched params unavailable]");
    }

    @Test
    void withoutAPoolOfItsSchedulerXlPrintsNothingAndSucceeds() throws IOException {
        XenSamples.Sample sample = XenSamples.of("06-xl-sched-credit2-wrong-sched");
        assertThat(sample.status()).isZero();
        assertThat(XlSchedule.parse("xl sched-credit2", sample.output())).isEmpty();
    }

    @Test
    void xentopsFirstRoundIsDropped() throws IOException {
        Xentop top = new Xentop();
        List<String> lines = XenSamples.of("12-xentop-equal-weights").lines();
        List<Map<String, Optional<Xentop.Use>>> rounds = new ArrayList<>(top.add(lines.subList(0, 7)));
        assertThat(rounds).as("one round and a half").isEmpty();
        rounds.addAll(top.add(lines.subList(7, lines.size())));
        rounds.addAll(top.add(lines.subList(0, 1)));
        assertThat(rounds).hasSize(2);
        assertThat(rounds.get(0).get("g1")).hasValueSatisfying(use -> assertThat(use.cpus()).isEqualTo(0.335, offset(1e-9)));
        assertThat(rounds.get(1).get("Domain-0")).hasValueSatisfying(use ->
                assertThat(use.cpus()).isEqualTo(0.009, offset(1e-9)));
    }

    @Test
    void xentopsColumnsAreReadFromTheRight() throws IOException {
        String heading = XenSamples.of("12-xentop-equal-weights").lines().get(0);
        List<String> rows = List.of(row("Domain-0", "1.3", "no limit       n/a", 0, 0), row("my web 1", "133.5",
                "921600      50.0", 100, 2000),
                row("a", "1.0", "921600      50.0", 1, 2), row("a", "2.0", "921600      50.0", 1, 2));
        Xentop top = new Xentop();
        List<String> lines = new ArrayList<>(List.of(heading, heading));
        lines.addAll(rows);
        lines.add(heading);
        Map<String, Optional<Xentop.Use>> round = top.add(lines).get(0);
        assertThat(round.get("my web 1")).contains(new Xentop.Use(1.335, 2100));
        assertThat(round.get("Domain-0")).hasValueSatisfying(use -> assertThat(use.cpus()).isEqualTo(0.013, offset(1e-9)));
        assertThat(round.get("a")).as("two of one name").isEmpty();
    }

    private static String row(String name, String cpu, String most, int sent, int received) {
        return String.format("%10s -----r         21  %5s     921600   50.0   %s     4    1 %8d %8d    0        0        0"
                + "        0          0          0    0", name, cpu, most, sent, received);
    }

    @Test
    void aTraceHasWaitsAndSwitches() throws IOException {
        Map<Integer, Xenalyze.Times> times = Xenalyze.parse(XenSamples.of("70-c1-ts30-equal-xenalyze").output(), HZ);
        assertThat(times.get(4).running()).isEqualTo(1.08 / 3.99, offset(0.01));
        assertThat(times.get(4).runnable()).isEqualTo(0.86 / 3.99, offset(0.01));
        assertThat(times.get(4).runs()).isEqualTo(551 / 3.99, offset(0.01));
        assertThat(times.get(4).wakeups()).isEqualTo(542 / 3.99, offset(0.01));
        assertThat(times.get(1).wakeups()).isZero();
        assertThat(times.get(1).offline()).isZero();
        // the braces of a mean may begin with a blank
        assertThat(Xenalyze.parse(XenSamples.of("72-c1-ts34-w43008-xenalyze").output(), HZ).get(0).runnable()).isGreaterThan(0);
    }

    @Test
    void aTraceOfSeveralVcpusIsSummedUp() throws IOException {
        Map<Integer, Xenalyze.Times> times = Xenalyze.parse(XenSamples.of("81-icount-c2-spin-xenalyze").output(), HZ);
        assertThat(times.get(32767).runs()).isEqualTo((2 + 3) / 0.75, offset(1e-9));
    }

    @Test
    void parkedTimeIsOffline() throws IOException {
        Xenalyze.Times alone = Xenalyze.parse(XenSamples.of("91-cap25-alone-xenalyze").output(), 1e9).get(2);
        assertThat(alone.offline()).as("a burner with a cap of 25 %").isEqualTo(2.97 / 4, offset(0.01));
        assertThat(alone.running()).isEqualTo(0.25, offset(0.01));
        assertThat(alone.runnable()).isEqualTo(0, offset(0.01));
        Xenalyze.Times light = Xenalyze.parse(XenSamples.of("93-rule2-w43008-cap100-xenalyze").output(), 1e9).get(1);
        assertThat(light.offline()).as("a cap of 100 % above the share of its weight").isEqualTo(0.54 / 4, offset(0.01));
    }

    @Test
    void anEmptyTraceIsAnError() {
        assertThatThrownBy(() -> Xenalyze.parse(XenSamples.of("35-xenalyze-summary").output(), HZ))
                .isInstanceOf(IOException.class).hasMessageContaining("Total time: 0.00");
    }

    @Test
    void figuresOfTheHostAreFoundByTheirNames() throws IOException {
        String info = XenSamples.of("01-xl-info").output();
        assertThat(XenCommands.info(info, "nr_cpus")).isEqualTo(2);
        assertThat(XenCommands.info(info, "cpu_mhz")).isEqualTo(2596.143);
        assertThatThrownBy(() -> XenCommands.info(info, "release")).hasMessageContaining("release");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "libxl: error: something\n",
            "Name                                        ID   Mem VCPUs\tState\tTime(s)\ng1  1  96",
        "\u0000\u0001", "Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us\nName ID Weight Cap\ng1 1 256\n"})
    void garbageIsQuotedAndNeverGuessedAt(String text) {
        assertThatThrownBy(() -> XlDomains.parse(text)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> XlVcpus.parse(text)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> XlPools.parse(text, text)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Xenalyze.parse(text, HZ)).isInstanceOf(IOException.class);
        if (!text.isEmpty()) {
            assertThatThrownBy(() -> XlSchedule.parse("xl sched-credit", text)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> new Xentop().add(text.lines().toList())).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> XenCommands.info(text, "nr_cpus")).isInstanceOf(IOException.class);
    }

    @Test
    void anothersTableIsNotTakenForOnesOwn() {
        String top = XenSamples.of("12-xentop-equal-weights").output();
        assertThatThrownBy(() -> XlDomains.parse(top)).hasMessageContaining("xl list: expected a table");
        assertThatThrownBy(() -> XlDomains.parse(XenSamples.of("19-xl-vcpu-list").output()))
                .hasMessageContaining("xl list: expected a table");
        assertThatThrownBy(() -> XlSchedule.parse("xl sched-credit", XenSamples.of("18-xl-list").output()))
                .hasMessageContaining("did not understand");
        assertThatThrownBy(() -> XlDomains.parse(XenSamples.of("18-xl-list").output() + "libxl: warning: half a\n"))
                .hasMessageContaining("half a");
    }
}
