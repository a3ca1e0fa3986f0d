// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.ic2.training.run.FakeTestbed;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Change;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class CompareTest {
    private static final Setting SETTING = Setting.of(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(60),
            Duration.ofSeconds(10), "mod-status");

    @TempDir
    private Path folder;

    private static AgentSettings agents(int intervalMillis, int targetMillis) {
        return new AgentSettings(Duration.ofMillis(intervalMillis), Duration.ofMillis(targetMillis), Duration.ofSeconds(10),
                "mod-status", Optional.empty(), List.of(3, 6));
    }

    private static ComparePlan plan(int repeat, Duration on, Duration length) {
        return plan(repeat, on, length, agents(10, 60));
    }

    private static ComparePlan plan(int repeat, Duration on, Duration length, AgentSettings agents) {
        return new ComparePlan(List.of(Arm.LADDER, Arm.OFF), List.of(Neighbour.of("dcopy-low"), Neighbour.of("mine=llcprobe --size 64MB")),
                "same-core", repeat, length, on, on, on.dividedBy(2), Duration.ZERO, 10, 3, agents, TestSubject.USUAL);
    }

    @Test
    void armsTakeTurnsInAnOrderByChanceWithTheSameLoadAndSchedule() {
        ComparePlan plan = new ComparePlan(List.of(Arm.OFF, Arm.PAPER_ONLINE, Arm.PAPER_GRACEFUL, Arm.LADDER), Neighbour.USUAL, "same-core", 6, Duration.ofMinutes(20),
                Duration.ofMinutes(4), Duration.ofMinutes(4), Duration.ofMinutes(1), Duration.ofSeconds(30), 100, 7,
                agents(1000, 60), TestSubject.USUAL);
        List<RunPlan> runs = plan.runs();
        assertThat(runs).hasSize(6 * 3 * 4).extracting(RunPlan::id).doesNotHaveDuplicates();
        Set<String> orders = new java.util.HashSet<>();
        for (int i = 0; i < runs.size(); i += 4) {
            List<RunPlan> turn = runs.subList(i, i + 4);
            assertThat(turn).allMatch(run -> run.seed() == turn.get(0).seed() && run.neighbours().equals(turn.get(0).neighbours())
                    && run.users() == 100);
            assertThat(turn.stream().map(run -> run.id().substring(run.id().length() - 1)).collect(Collectors.toSet())).hasSize(4);
            orders.add(turn.stream().map(run -> run.id().substring(run.id().length() - 1)).collect(Collectors.joining()));
        }
        assertThat(orders).hasSizeGreaterThan(6);
        assertThat(plan.runs()).isEqualTo(runs);
    }

    @Test
    void withOneRunAnArmTheBaselineComesFirst() {
        for (long seed = 1; seed < 9; seed++) {
            ComparePlan plan = new ComparePlan(List.of(Arm.LADDER, Arm.OFF), List.of(Neighbour.of("llcprobe")), "same-core", 1, Duration.ofMinutes(4),
                    Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5), 100, seed, agents(1000, 60),
                    TestSubject.USUAL);
            assertThat(plan.slots()).extracting(PlannedRun::arm).containsExactly(Arm.OFF, Arm.LADDER);
        }
    }

    @Test
    void theNeighbourComesUpToAnIntervalLateByChanceAndStaysAsLongAsItShould() {
        ComparePlan plan = new ComparePlan(List.of(Arm.OFF), Neighbour.USUAL, "same-core", 4, Duration.ofMinutes(4), Duration.ofSeconds(30),
                Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5), 100, 7, agents(1000, 60), TestSubject.USUAL);
        Set<Long> late = new java.util.HashSet<>();
        for (RunPlan run : plan.runs()) {
            long time = 0;
            String[] phases = run.neighbours().get(0).schedule().split(", ");
            assertThat(phases).hasSize(8);
            for (int i = 0; i < phases.length; i += 2) {
                assertThat(phases[i]).endsWith("ms off");
                assertThat(phases[i + 1]).isEqualTo("30000ms on");
                time += Long.parseLong(phases[i].replace("ms off", ""));
                long behind = time - (30_000L + 30_000L * i);
                assertThat(behind).isBetween(0L, 999L);
                late.add(behind);
                time += 30_000;
            }
        }
        assertThat(late).as("times in the interval, of 48").hasSizeGreaterThan(40);
    }

    @Test
    void aLevelThatIsAlwaysOnIsSetByHandAndTheBaselineOnceMoreIsTheBaseline() {
        ComparePlan plan = on(plan(1, Duration.ofSeconds(10), Duration.ofSeconds(30)), List.of(Arm.of("off"), Arm.of(" off-again"), Arm.of("always-on-3"),
                Arm.of("only-3")),
                new TestSubject("wordpress", "public", "stock", "overcommitted"));
        for (RunPlan run : plan.runs()) {
            assertThat(run.agent().role()).isEqualTo(AgentArm.Role.OFF);
            assertThat(run.changes()).isEqualTo(!run.id().endsWith("3") ? List.of() : List.of(new Change.SetValues(Duration.ZERO,
                    Map.of("MITIGATION", run.id().endsWith("-always-on-3") ? "3" : "103"), OptionalInt.empty())));
        }
        assertThat(plan.runs()).extracting(RunPlan::id).contains("r1-mine-off", "r1-mine-off-again", "r1-mine-always-on-3", "r1-mine-only-3");
    }

    @Test
    void thePapersArmsHaveItsProfileOnBothHttpds() {
        ComparePlan plan = on(plan(1, Duration.ofSeconds(10), Duration.ofSeconds(30)), List.of(Arm.OFF, Arm.of("paper-online"), Arm.of("paper-graceful"), Arm.LADDER), TestSubject.USUAL);
        assertThat(plan.arms().stream().filter(Arm::published)).containsExactly(Arm.PAPER_ONLINE, Arm.PAPER_GRACEFUL);
        for (RunPlan run : plan.runs()) {
            boolean published = run.id().endsWith("-paper-online") || run.id().endsWith("-paper-graceful");
            assertThat(run.facts().get("agent").contains(", by the profile paper")).as(run.id()).isEqualTo(published);
            assertThat(run.agent().manner() == AgentArm.Manner.PAPER).isEqualTo(published);
            assertThat(run.agent().actuator()).isEqualTo(run.id().endsWith("-paper-graceful") ? AgentArm.BASIC : AgentArm.ONLINE);
        }
    }

    @Test
    void thePeerIsALevelOfItsOwnWithoutAnAgent() {
        RunPlan run = on(plan(1, Duration.ofSeconds(10), Duration.ofSeconds(30)), List.of(Arm.of("limit")), TestSubject.USUAL).runs().get(0);
        assertThat(run.agent().role()).isEqualTo(AgentArm.Role.OFF);
        assertThat(run.changes()).containsExactly(new Change.SetValues(Duration.ZERO, Map.of("MITIGATION", "200"), OptionalInt.empty()));
    }

    @Test
    void theLadderIsMeasuredAsShippedAndInsideTheTierAndOtherSettingsAndPlacesAreArmsOfTheirOwn() throws IOException {
        ComparePlan plan = on(plan(1, Duration.ofSeconds(10), Duration.ofSeconds(30)), List.of(Arm.OWN_CPU, Arm.TUNED, Arm.ONE_LEVEL, Arm.LADDER),
                TestSubject.USUAL);
        RunDriver driver = new RunDriver(new FakeTestbed(folder).testbed(), SETTING, folder, InstantSource.system());
        RunDriver said = new RunDriver(new FakeTestbed(folder).testbed(), SETTING.withGiven(new Setting.Given(true, false)), folder, InstantSource.system());
        for (RunPlan run : plan.runs()) {
            boolean shipped = run.id().endsWith("-ladder") || run.id().endsWith("-own-cpu");
            Map<String, String> facts = driver.settings(run);
            assertThat(facts.get("target")).isEqualTo(shipped ? "as shipped" : "60 ms");
            assertThat(said.settings(run).get("target")).isEqualTo("60 ms");
            assertThat(said.settings(run).get("cool-down")).isEqualTo(shipped ? "as shipped" : "10000 ms");
            assertThat(facts.get("agent").contains("moves [mitigation, keep-alive-timeout]")).isEqualTo(shipped);
            assertThat(facts.get("agent").contains("as packaging/ic2.yaml says")).isEqualTo(shipped);
            assertThat(facts.get("agent").contains("inside the tier")).isEqualTo(!run.id().endsWith("-own-cpu"));
        }
        assertThat(plan.runs()).extracting(RunPlan::id).contains("r1-mine-tuned", "r1-mine-one-level");
    }

    @Test
    void anotherApplicationIsAnotherComparisonAndAStockHttpdHasTheLadderAlone() throws IOException {
        ComparePlan plan = plan(1, Duration.ofSeconds(10), Duration.ofSeconds(30));
        Path file = folder.resolve(PlanJson.FILE);
        PlanJson.write(folder, plan);
        Files.writeString(file, Files.readString(file).replaceFirst("\"application\" : \"olio\",\\s+\"profile\" : \"public\",\\s+\"server\" : \"patched\",\\s+\"layout\" : \"overcommitted\",", ""));
        assertThat(PlanJson.read(folder)).as("of a folder that is older").isEqualTo(plan);
        ComparePlan other = on(plan, plan.arms(), new TestSubject("wordpress", "public", "stock", "overcommitted"));
        assertThatThrownBy(() -> PlanJson.write(folder, other)).hasMessageContaining("a comparison with application \"olio\", not \"wordpress\"");
        ComparePlan apart = on(plan, plan.arms(), new TestSubject("olio", "public", "patched", "apart"));
        assertThatThrownBy(() -> PlanJson.write(folder, apart)).hasMessageContaining("layout \"overcommitted\", not \"apart\"");
        assertThat(apart.subject().text()).contains("layout apart");
        assertThatThrownBy(() -> on(plan, List.of(Arm.OFF, Arm.PAPER_GRACEFUL), new TestSubject("wordpress", "public", "stock", "overcommitted")))
                .hasMessageContaining("on a stock httpd paper-online and paper-graceful");
    }

    @Test
    void anotherLoadProfileIsAnotherComparison() throws IOException {
        ComparePlan plan = plan(1, Duration.ofSeconds(10), Duration.ofSeconds(30));
        ComparePlan original = on(plan, plan.arms(), new TestSubject("olio", "olio", "patched", "overcommitted"));
        PlanJson.write(folder, original);
        assertThat(PlanJson.read(folder)).isEqualTo(original);
        assertThatThrownBy(() -> PlanJson.write(folder, plan)).hasMessageContaining("a comparison with profile \"olio\", not \"public\"");
    }

    private static ComparePlan on(ComparePlan p, List<Arm> arms, TestSubject subject) {
        return new ComparePlan(arms, p.neighbours(), p.placement(), p.repeat(), p.length(), p.on(), p.off(), p.firstHalf(), p.settle(),
                p.users(), p.seed(), p.agents(), subject);
    }

    @Test
    void aPlanSurvivesItsFileAndOtherSettingsInTheSameFolderAreRefused() throws IOException {
        ComparePlan plan = plan(2, Duration.ofSeconds(10), Duration.ofSeconds(30));
        PlanJson.write(folder, plan);
        assertThat(PlanJson.read(folder)).isEqualTo(plan);
        PlanJson.write(folder, plan(3, Duration.ofSeconds(10), Duration.ofSeconds(30)));
        assertThatThrownBy(() -> PlanJson.write(folder, plan(2, Duration.ofSeconds(15), Duration.ofSeconds(30))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("on 10.0, not 15.0");
        assertThatThrownBy(() -> PlanJson.write(folder, plan(2, Duration.ofSeconds(10), Duration.ofSeconds(30), agents(10, 90))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("target 0.06, not 0.09");
    }

    @Test
    void nonsenseIsRefusedInOneLine() {
        assertThatThrownBy(() -> Arm.of("e")).hasMessage("--arms: expected some of off,off-again,paper-online,paper-graceful,one-level,tuned,own-cpu,ladder,host-caps,host-caps+ladder,"
                + "host-weights,host-weights+ladder,host-pins,host-pins+ladder,always-on-1,always-on-2,always-on-3,always-on-4,always-on-5,always-on-6,"
                + "only-2,only-3,only-4,only-6,limit, got 'e'");
        assertThatThrownBy(() -> Neighbour.of("other")).hasMessageContaining("dcopy-low, dcopy-high, llcprobe, got 'other'");
        assertThatThrownBy(() -> Neighbour.of("A b=dcopy")).hasMessageContaining("got 'A b'");
        assertThatThrownBy(() -> plan(1, Duration.ofSeconds(10), Duration.ofSeconds(19))).hasMessageContaining("--run");
    }

    @Test
    void runsAreMadeOnceAndTheBaselineRunsWithoutAnAgent() throws Exception {
        FakeTestbed fake = new FakeTestbed(folder.resolve("home"));
        Path out = folder.resolve("out");
        ComparePlan plan = plan(1, Duration.ofMillis(800), Duration.ofMillis(1600));
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        measure(fake, out, plan, told);
        List<String> started = Files.readAllLines(fake.file("started")).stream().map(line -> line.split(" ")[0]).toList();
        assertThat(started).filteredOn(one -> one.equals("load")).hasSize(4);
        assertThat(started).filteredOn(one -> one.equals("agent")).as("two of the arm ladder, none of the arm off").hasSize(2);
        assertThat(fake.alive()).isZero();
        assertThat(out.resolve("r1-dcopy-low-off/recording.csv")).doesNotExist();
        assertThat(out.resolve("r1-dcopy-low-off/usage.csv")).isNotEmptyFile();
        assertThat(out.resolve("agent-ladder/journal.jsonl")).as("of the last run alone").hasContent("{\"started\": true}");
        assertThat(Files.readString(out.resolve("r1-mine-ladder/agent.yaml"))).contains("mode: act",
                "levers:   [mitigation, keep-alive-timeout]");
        String lines = told.toString(StandardCharsets.UTF_8);
        assertThat(lines).contains("run 1 of 4, arm ", "neighbour off", "neighbour ON");
        measure(fake, out, plan, told);
        assertThat(Files.readAllLines(fake.file("started"))).as("nothing is measured twice").hasSameSizeAs(started);
        assertThat(new Compare(out).report()).isNotEmpty();
    }

    @Test
    void aFailureLeavesAReportOfWhatWasMeasured() throws Exception {
        FakeTestbed fake = new FakeTestbed(folder.resolve("home"));
        Files.createFile(fake.file("load-fails"));
        Path out = folder.resolve("out");
        assertThatThrownBy(() -> measure(fake, out, plan(1, Duration.ofMillis(500), Duration.ofSeconds(1)),
                new ByteArrayOutputStream())).hasMessageContaining("the load ended by itself");
        assertThat(Files.readString(out.resolve(Compare.REPORT))).contains("4 runs of 4 are missing");
        assertThat(fake.alive()).isZero();
    }

    @Test
    void aNeighbourMayBeThereForPartsOfTheTime() throws IOException {
        List<Neighbour> kinds = java.util.stream.IntStream.of(5, 20, 100).mapToObj(Neighbour.of("llcprobe")::withDuty).toList();
        ComparePlan plan = new ComparePlan(List.of(Arm.OFF, Arm.ALWAYS_3), kinds, "same-core", 1, Duration.ofSeconds(240),
                Duration.ofSeconds(12), Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofSeconds(4), 100, 7, agents(1000, 60), TestSubject.USUAL);
        assertThat(plan.runs()).extracting(RunPlan::id).contains("r1-llcprobe-5-off", "r1-llcprobe-20-always-on-3", "r1-llcprobe-100-off");
        for (RunPlan run : plan.runs()) {
            String schedule = run.neighbours().get(0).schedule();
            int episodes = schedule.split(" on").length - (schedule.endsWith(" on") ? 0 : 1);
            assertThat(episodes).as(schedule).isEqualTo(run.id().contains("-100") ? 1 : run.id().contains("-20") ? 4 : 1);
            assertThat(schedule).contains(run.id().contains("-100") ? "238000ms on" : "12000ms on");
            long off = Long.parseLong(schedule.substring(0, schedule.indexOf("ms off")));
            assertThat(off).isBetween(run.id().contains("-100") ? 2000L : run.id().contains("-20") ? 48_000L : 228_000L, run.id().contains("-100") ? 3000L
                    : run.id().contains("-20") ? 49_000L : 229_000L);
        }
        assertThat(plan.leadIn()).as("what is normal is learned ahead of a neighbour that is always there").isEqualTo(Duration.ofSeconds(33));
        PlanJson.write(folder, plan);
        assertThat(PlanJson.read(folder)).isEqualTo(plan);
        assertThatThrownBy(() -> Neighbour.of("llcprobe").withDuty(0)).hasMessage("--duty: expected per cent from 1 to 100, got 0");
        assertThatThrownBy(() -> new ComparePlan(List.of(Arm.OFF), kinds, "same-core", 1, Duration.ofSeconds(100), Duration.ofSeconds(12),
                Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofSeconds(4), 100, 7, agents(1000, 60), TestSubject.USUAL))
                .hasMessage("--run: expected at least --off and --on, which --duty makes, 240 s, got 100 s");
    }

    @Test
    void aDisturbedRunIsSetAsideAndMadeAgainAsOftenAsAsked() throws Exception {
        FakeTestbed fake = new FakeTestbed(folder.resolve("home"));
        Path out = folder.resolve("out");
        ComparePlan plan = new ComparePlan(List.of(Arm.OFF), List.of(), "same-core", 1, Duration.ofSeconds(7),
                Duration.ofSeconds(7), Duration.ofSeconds(7), Duration.ofSeconds(1), Duration.ZERO, 10, 3, agents(10, 60), TestSubject.USUAL);
        Files.createFile(fake.file("late-once"));
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        measure(fake, out, plan, told);
        assertThat(outcome(out)).contains("Beware: This machine was busy: ", "the load was up to 3.0 s late in 1 of 1 run.");
        measure(fake, out, plan, told, 1);
        assertThat(told.toString(StandardCharsets.UTF_8)).contains("disturbed, the machine did something else; made again\n");
        assertThat(outcome(out)).contains("1 disturbed run was set aside and made again.").doesNotContain("s late");
        assertThat(Files.readAllLines(out.resolve(BusyMachine.FILE))).anyMatch(line -> line.startsWith("r1-none-off-disturbed-1,true,quiet")
                && line.endsWith(",3.000,true"));
        measure(fake, out, plan, told, 1);
        assertThat(Files.readAllLines(fake.file("started"))).filteredOn(line -> line.startsWith("load")).as("the second try was not disturbed")
                .hasSize(2);
    }

    private static String outcome(Path out) throws IOException {
        new Compare(out).report();
        return Findings.headline(Comparison.read(out));
    }

    private static void measure(FakeTestbed fake, Path out, ComparePlan plan, ByteArrayOutputStream told) throws Exception {
        measure(fake, out, plan, told, 0);
    }

    private static void measure(FakeTestbed fake, Path out, ComparePlan plan, ByteArrayOutputStream told, int again) throws Exception {
        RunDriver off = new RunDriver(fake.testbed(), SETTING, Live.agentHome(out, Arm.OFF), InstantSource.system());
        RunDriver ladder = new RunDriver(fake.testbed(), SETTING, Live.agentHome(out, Arm.LADDER), InstantSource.system());
        new Compare(out).run(plan, again, arm -> arm == Arm.OFF ? off : ladder, new Live(new PrintStream(told, true, StandardCharsets.UTF_8),
                false, out, plan, Live.estimate(out, plan), InstantSource.system(), Optional.empty()));
    }
}
