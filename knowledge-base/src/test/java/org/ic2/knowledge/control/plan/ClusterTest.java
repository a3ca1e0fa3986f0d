// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.ByHand;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.plan.Cluster.Neighbour;
import org.ic2.knowledge.control.plan.Cluster.Server;
import org.ic2.knowledge.control.plan.Cluster.Share;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.knowledge.control.state.ControllerState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The share of a cluster's requests, in a loop with the load that it moves. The figures are those of docs/cluster.md. */
@Execution(ExecutionMode.CONCURRENT)
class ClusterTest {
    private static final int HOUR = 3600;
    /** A neighbour who steals the same part at every load is seen all the time, and so needs no try. */
    private static final int MOVES_WITH_A_SIGNAL = 3;
    private static final int SEEDS = 5;

    static Stream<Arguments> episodes() {
        return Arrays.stream(Neighbour.values()).flatMap(neighbour ->
                IntStream.range(0, SEEDS).mapToObj(seed -> Arguments.of(neighbour, seed)));
    }

    /** A cluster that has learned what is normal. Who only evicts caches is told by what a request costs. */
    private static Cluster settled(long seed, Neighbour neighbour) {
        return settled(seed, 20, neighbour);
    }

    private static Cluster settled(long seed, int least, Neighbour neighbour) {
        UnaryOperator<Policy.Builder> policy = builder -> builder;
        if (neighbour == Neighbour.CACHES) {
            Detector byHand = ByHand.detector();
            policy = builder -> {
                Policy usual = builder.build();
                return Policy.builder(usual.baseline(), usual.bounds(), byHand, usual.knowledge()).levers(usual.levers())
                        .targetResponseTime(usual.targetResponseTime()).pace(usual.pace()).sharing(usual.sharing());
            };
        }
        Cluster cluster = new Cluster(seed, least, policy);
        cluster.pass(60 + 0.1 * (seed % Cluster.STEPS));
        cluster.servers.forEach(server -> assertThat(server.moves()).isEmpty());
        return cluster;
    }

    @ParameterizedTest
    @MethodSource("episodes")
    void anHourOfSteadyInterferenceMovesTheShareAFewTimes(Neighbour neighbour, int seed) {
        Cluster cluster = settled(seed, neighbour);
        Server noisy = cluster.first();
        noisy.neighbour = neighbour;
        cluster.pass(HOUR);
        List<Decision> moves = noisy.moves();
        String told = told(noisy);
        boolean signalled = neighbour == Neighbour.SLICES || neighbour == Neighbour.THROTTLES;
        assertThat(moves).as(told).hasSizeBetween(1, signalled ? MOVES_WITH_A_SIGNAL : TrafficShare.MAX_MOVES);
        assertThat(noisy.decisions).allMatch(decision -> decision.desired().get(Share.KNOB) >= 20);
        cluster.servers.subList(1, 3).forEach(server -> assertThat(server.moves()).as("others").isEmpty());
        // one that is seen at every load only ever takes the share further down; of others there is nothing but tries, and
        // what takes them back, once it has settled
        List<Decision> later = moves.stream().filter(decision -> decision.time().isAfter(Tier.START.plusSeconds(120))).toList();
        // (of 25 hours beside who leaves what is fair 8 have one cut more, as a queue grew by chance)
        assertThat(later.stream().filter(move -> move.scenario() == Scenario.SHARE_CUT && !signalled
                && moves.get(moves.indexOf(move) - 1).scenario() != Scenario.SHARE_BACK)).as(told).hasSizeLessThanOrEqualTo(1);
        assertThat(signalled && moves.stream().anyMatch(move -> move.scenario() != Scenario.SHARE_CUT)).as(told).isFalse();
        assertThat(cluster.responseTime()).as(told).isLessThan(0.2);
    }

    private static String told(Server server) {
        List<String> lines = new ArrayList<>();
        server.decisions.stream().filter(Decision::applies).forEach(decision -> lines.add(decision.time() + " " + decision.action()
                + " " + decision.scenario() + " " + decision.reason()));
        return String.join("\n", lines);
    }

    @ParameterizedTest
    @MethodSource("episodes")
    void anEpisodeIsAnsweredAndForgottenInSeconds(Neighbour neighbour, int seed) {
        Cluster cluster = settled(seed, neighbour);
        Server noisy = cluster.first();
        long begun = cluster.clock;
        noisy.neighbour = neighbour;
        cluster.pass(60);
        String told = told(noisy);
        assertThat(noisy.until(begun, Action.MITIGATE)).as("onset to decision; it is in force half a second later: %s", told)
                .isLessThanOrEqualTo(3);
        assertThat(noisy.moves().get(0).desired().get(Share.KNOB)).as(told).isBetween(20, 90);
        long ended = cluster.clock;
        noisy.neighbour = null;
        // nobody who asks for less than his part of the CPU sees that he has only a part: there the next try is waited for
        cluster.pass(neighbour == Neighbour.FAIR ? 60 : 10);
        assertThat(noisy.share()).as("10 s after the end: %s", told(noisy)).isEqualTo(100);
        cluster.pass(300);
        assertThat(noisy.share()).isEqualTo(100);
        assertThat(noisy.running).isEqualTo(Cluster.BASE);
        assertThat(cluster.clock).isGreaterThan(ended);
    }

    /** Three servers of 19 requests a second: at a tenth of its share the noisy one has not three in a second. */
    @ParameterizedTest
    @EnumSource(names = {"SLICES", "THROTTLES"})
    void aServerThatIsAskedLittleIsRestoredAsSoon(Neighbour neighbour) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Cluster cluster = new Cluster(seed, 10, builder -> builder.targetResponseTime(0.05));
            cluster.fewer = 6;
            cluster.spread = 0.5;
            cluster.pass(120 + 0.1 * seed);
            Server noisy = cluster.first();
            noisy.neighbour = neighbour;
            cluster.pass(600);
            assertThat(noisy.share()).as(told(noisy)).isEqualTo(10);
            assertThat(noisy.moves()).as(told(noisy)).allMatch(move -> move.scenario() == Scenario.SHARE_CUT);
            noisy.neighbour = null;
            cluster.pass(10);
            assertThat(noisy.running).as("10 s after the end: %s", told(noisy)).isEqualTo(Cluster.BASE);
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 10", "55, 6", "40, 4", "20, 4", "5, 4"})
    void ofASmallerShareFewerRequestsMakeASample(int share, int requests) {
        Policy policy = new Cluster(1, 5, builder -> builder).first().policy;
        Sample.Builder sample = Sample.at(Tier.START);
        assertThat(policy.sharing().enough(policy.minRequests(), Cluster.BASE.with(Share.KNOB, share), sample.build(), policy.baseline())).isEqualTo(requests);
        assertThat(policy.sharing().enough(policy.minRequests(), Cluster.BASE.with(Share.KNOB, share), sample.set(Sharing.PEERS, 0.5).build(), policy.baseline()))
                .as("the others are cut, too, so it is asked as much as ever").isEqualTo(10);
    }

    @Test
    void theFurtherUsersAreFromTheTargetTheFurtherTheNextCutGoes() {
        List<Double> parts = new ArrayList<>();
        for (double target : new double[] {0.05, 0.2, 0.4}) {
            for (int seed = 0; seed < SEEDS; seed++) {
                Cluster cluster = new Cluster(seed, 5, builder -> builder.targetResponseTime(target));
                cluster.fewer = 6;
                cluster.pass(60);
                cluster.first().neighbour = Neighbour.SLICES;
                cluster.pass(120);
                List<Decision> moves = cluster.first().moves();
                for (Decision cut : moves.subList(1, moves.size())) {
                    double wanted = target / cut.numbers().get("response_time");
                    double part = Math.max(1.0 / 3, Math.min(2.0 / 3, wanted));
                    int next = (int) Math.round(cut.current().get(Share.KNOB) * part);
                    assertThat(cut.desired().get(Share.KNOB)).as(told(cluster.first())).isEqualTo(next < 8 ? 5 : next);
                    parts.add(part);
                }
            }
        }
        assertThat(parts).contains(1.0 / 3, 2.0 / 3).anyMatch(part -> part > 0.34 && part < 0.66);
    }

    @ParameterizedTest
    @MethodSource("episodes")
    void withAllServersNoisyNoneFallsBelowTheLeastShareAndTheLadderSheds(Neighbour neighbour, int seed) {
        for (boolean asking : new boolean[] {true, false}) {
            int least = asking ? 5 : 20;
            Cluster cluster = settled(seed, least, neighbour);
            cluster.asking = asking;
            cluster.load = 1.1;
            cluster.servers.forEach(server -> server.neighbour = neighbour);
            cluster.pass(300);
            boolean shed = false;
            for (Server server : cluster.servers) {
                String told = told(server);
                for (Decision decision : server.decisions) {
                    shed |= decision.desired().get(Lever.MITIGATION) > 0;
                    assertThat(decision.desired().get(Share.KNOB)).as(told).isGreaterThanOrEqualTo(least);
                    double others = decision.numbers().getOrDefault("peers_share", 1.0);
                    assertThat(decision.scenario() == Scenario.SHARE_CUT && others <= 0.9
                            && decision.desired().get(Share.KNOB) < Math.round(100 * others)).as("below all others: %s", told).isFalse();
                }
            }
            assertThat(shed).as("asking %s: %s", asking, told(cluster.first())).isTrue();
            // behind a level that makes requests cheaper nothing tells who takes caches alone: the ladder comes and goes (HiddenInterferenceTest)
            assertThat(neighbour == Neighbour.CACHES ? 0 : cluster.responseTime()).as("the site is up: %s", told(cluster.first())).isLessThan(0.5);
        }
    }

    @ParameterizedTest
    @CsvSource({"20, false", "10, false", "5, false", "20, true", "5, true"})
    void besideANeighbourWhoHasBecomeQuieterALargerShareIsTried(int least, boolean asking) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Cluster cluster = new Cluster(seed, least, builder -> builder.targetResponseTime(0.05).levers(Set.of(Share.KNOB)));
            cluster.asking = asking;
            cluster.pass(60);
            Server noisy = cluster.first();
            noisy.neighbour = Neighbour.SLICES;
            noisy.taken = 0.75;
            cluster.pass(60);
            int moves = noisy.moves().size();
            noisy.taken = 0.3;
            cluster.pass(900);
            assertThat(noisy.moves().size()).as(told(noisy)).isGreaterThan(moves);
            assertThat(noisy.moves().get(moves)).as(told(noisy)).satisfies(move -> assertThat(move.desired().get(Share.KNOB))
                    .isGreaterThan(move.current().get(Share.KNOB)).isLessThan(100));
            assertThat(noisy.moves()).as(told(noisy)).noneMatch(move -> move.reason().startsWith("the others have room again"));
        }
    }

    @ParameterizedTest
    @MethodSource("episodes")
    void aNeighbourWithoutEffectMovesNoShare(Neighbour neighbour, int seed) {
        Cluster cluster = settled(seed, neighbour);
        cluster.load = 0.4;
        cluster.servers.forEach(server -> server.neighbour = neighbour);
        cluster.pass(300);
        for (Server server : cluster.servers) {
            assertThat(server.moves()).as(told(server)).isEmpty();
        }
        assertThat(cluster.responseTime()).isLessThan(0.2);
    }

    @Test
    void aServerWithMoreThanItsUsualThroughputAsksForNoSmallerShare() {
        Cluster cluster = new Cluster(7, builder -> builder);
        cluster.quota = 0.3;
        cluster.pass(60);
        cluster.first().neighbour = Neighbour.SLICES;
        cluster.pass(300);
        assertThat(cluster.first().moves()).as(told(cluster.first())).isNotEmpty();
        for (Server other : cluster.servers.subList(1, 3)) {
            assertThat(other.decisions).as("its own quota looks like a neighbour").anyMatch(decision -> decision.evidence().stream()
                    .anyMatch(line -> line.contains("times the requests without interference, so it asks for no smaller share")));
            assertThat(other.moves()).as(told(other)).isEmpty();
        }
    }

    @Test
    void aServerThatServesAddedLoadGivesNothingBackAfterAFailedTry() {
        Cluster cluster = new Cluster(2, builder -> builder.targetResponseTime(0.05).coolDown(Duration.ofSeconds(2)));
        cluster.pass(60);
        Server server = cluster.first();
        server.neighbour = Neighbour.SLICES;
        cluster.pass(20);
        server.neighbour = null;
        cluster.pass(10);
        assertThat(server.share()).as(told(server)).isEqualTo(100);
        int moves = server.moves().size();
        cluster.sensors = sample -> sample.set(Sharing.LOAD, 1.5);
        cluster.load = 1.6;
        server.neighbour = Neighbour.THROTTLES;
        server.taken = 0.2;
        cluster.pass(20);
        assertThat(server.moves()).as(told(server)).hasSize(moves);
        assertThat(server.running.get(Lever.MITIGATION)).as(told(server)).isPositive();
    }

    @Test
    void aServerWithAddedLoadAndItsUsualCpuWaitsForMoreSlowSamples() {
        assertThat(slowSamples(1.5)).as("over all seeds").isGreaterThan(slowSamples(1) + SEEDS);
    }

    /** How many samples are slow before the first cut of a server that is given so many times its requests, over all seeds. */
    private static long slowSamples(double load) {
        long slow = 0;
        for (int seed = 0; seed < 5 * SEEDS; seed++) {
            Cluster cluster = new Cluster(seed, builder -> builder.targetResponseTime(0.022).levers(Set.of(Share.KNOB)));
            cluster.pass(60);
            Server server = cluster.first();
            int before = server.decisions.size();
            cluster.sensors = sample -> sample.set(Sharing.LOAD, load);
            server.neighbour = Neighbour.THROTTLES;
            server.taken = 0.15;
            cluster.pass(30);
            List<Decision> until = server.decisions.subList(before, server.decisions.indexOf(server.moves().get(0)) + 1);
            slow += until.stream().filter(decision -> decision.numbers().get("response_time") > 0.022).count();
        }
        return slow;
    }

    @ParameterizedTest
    @EnumSource(names = {"SLICES", "THROTTLES"})
    void aSecondServerThatIsNoisyIsAnsweredTooThoughItIsGivenMore(Neighbour neighbour) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Cluster cluster = new Cluster(seed, 10, builder -> builder.targetResponseTime(0.05).coolDown(Duration.ofSeconds(2)));
            cluster.asking = true;
            cluster.pass(60);
            cluster.first().neighbour = neighbour;
            cluster.pass(30);
            Server second = cluster.servers.get(1);
            second.neighbour = neighbour;
            long begun = cluster.clock;
            cluster.pass(30);
            assertThat(second.until(begun, Action.MITIGATE)).as(told(second)).isLessThanOrEqualTo(5);
        }
    }

    @ParameterizedTest
    @CsvSource({"1.5, 0.667, 20", "1.3, 0.667, 31", "1.5, 0.5, 34", "1.5, 0.334, 50", "1.5, 0, 67", "4, 0, 25", "9, 0, 20", "1, 0.667, 100", "1.5, 1, 20",
        "Infinity, 0, 20", "1.5, NaN, 20"})
    void noServerGivesUpMoreThanTheOthersHaveRoomFor(double headroom, double whole, int least) {
        Policy policy = new Cluster(1, 20, builder -> builder.sharing(new Sharing(Share.KNOB, headroom))).first().policy;
        Sample sample = Sample.at(Tier.START).set(Sharing.PEERS, 1).set(Sharing.WHOLE, whole).build();
        assertThat(policy.sharing().least(100, policy.bounds().lowest().get(Share.KNOB), sample)).isEqualTo(least);
    }

    /** Three servers at half of their CPU, whose agents look at the others; two get neighbours who take two thirds, the second so much later. */
    private static Cluster twoNoisy(long seed, double later, double headroom) {
        Cluster cluster = new Cluster(seed, 10, builder -> builder.targetResponseTime(0.05).coolDown(Duration.ofSeconds(2))
                .sharing(new Sharing(Share.KNOB, headroom)));
        cluster.asking = true;
        cluster.load = 0.8;
        cluster.pass(60);
        for (Server server : cluster.servers.subList(0, 2)) {
            server.neighbour = Neighbour.SLICES;
            server.taken = 0.66;
            cluster.pass(server == cluster.first() ? later : 60);
        }
        return cluster;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, 60})
    void twoNoisyServersOfThreeDoNotDrownTheThird(double later) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Cluster cluster = twoNoisy(seed, later, Sharing.HEADROOM);
            assertThat(twoNoisy(seed, later, 9).responseTime()).as("as it would be without").isGreaterThan(later < 60 ? 1 : 0.1);
            double all = cluster.servers.stream().mapToInt(Server::share).sum();
            assertThat(300 / all).as("times the usual requests of who is whole").isLessThanOrEqualTo(1.5);
            assertThat(cluster.responseTime()).as(told(cluster.first())).isLessThan(0.1);
            assertThat(cluster.servers.get(2).moves()).as(told(cluster.servers.get(2))).isEmpty();
            cluster.servers.forEach(server -> server.neighbour = null);
            cluster.pass(30);
            assertThat(cluster.servers).allMatch(server -> server.running.equals(Cluster.BASE));
        }
    }

    @Test
    void aShareThatOverloadsTheOthersIsTakenBackUntilTheyHaveRoom() {
        Cluster cluster = twoNoisy(1, 30, Sharing.HEADROOM);
        Server first = cluster.first();
        Server second = cluster.servers.get(1);
        List<Decision> back = first.moves().stream().filter(move -> move.scenario() == Scenario.SHARE_BACK).toList();
        assertThat(back).as(told(first)).hasSize(1);
        assertThat(back.get(0).current().get(Share.KNOB)).isLessThan(50);
        assertThat(back.get(0).desired().get(Share.KNOB)).isEqualTo(50);
        assertThat(back.get(0).reason()).startsWith("others are cut, too, and who has the whole share has room for 1.5 times the usual requests");
        assertThat(second.share()).as(told(second)).isEqualTo(50);

        second.neighbour = null;
        cluster.pass(30);
        assertThat(second.running).as(told(second)).isEqualTo(Cluster.BASE);
        Decision again = first.moves().get(first.moves().size() - 1);
        assertThat(again.reason()).as(told(first)).startsWith("the others have room again");
        assertThat(first.share()).isEqualTo(back.get(0).current().get(Share.KNOB));
    }

    @Test
    void theLadderWaitsForTheShareAndGoesFirstOnTheWayBack() {
        Cluster cluster = settled(1, Neighbour.SLICES);
        cluster.load = 1.45;
        cluster.servers.forEach(server -> server.neighbour = Neighbour.SLICES);
        cluster.pass(120);
        Server server = cluster.first();
        List<Decision> away = server.decisions.stream().filter(Decision::applies).toList();
        assertThat(away.get(0).scenario()).as(told(server)).isEqualTo(Scenario.SHARE_CUT);
        Decision ladder = away.stream().filter(decision -> decision.desired().get(Lever.MITIGATION) > 0).findFirst().orElseThrow();
        assertThat(ladder.current().get(Share.KNOB)).as(told(server)).isEqualTo(20);
        assertThat(ladder.desired().get(Share.KNOB)).isEqualTo(20);
        cluster.servers.forEach(each -> each.neighbour = null);
        cluster.load = 1;
        cluster.pass(60);
        List<Decision> back = server.decisions.stream().filter(Decision::applies).filter(decision ->
                decision.time().isAfter(away.get(away.size() - 1).time())).toList();
        assertThat(server.running).as(told(server)).isEqualTo(Cluster.BASE);
        assertThat(back.get(back.size() - 1).scenario()).isEqualTo(Scenario.SHARE_BACK);
        assertThat(back.subList(0, back.size() - 1)).as(told(server)).isNotEmpty().allMatch(decision ->
                decision.desired().get(Share.KNOB) == 20);
    }

    @Test
    void decisionsAreTheSameAfterTheStateIsReadBack() {
        Cluster first = settled(3, Neighbour.FAIR);
        Cluster second = settled(3, Neighbour.FAIR);
        ControlJson json = new ControlJson(org.ic2.knowledge.Terms.shipped().with(List.of(Share.KNOB), List.of(Sharing.PEERS, Sharing.LOAD, Sharing.WHOLE)));
        first.first().neighbour = Neighbour.FAIR;
        second.first().neighbour = Neighbour.FAIR;
        for (int i = 0; i < 300; i++) {
            first.pass(1);
            second.pass(1);
            ControllerState state = second.first().state;
            if (state.watch() == null) {
                second.first().state = json.readState("state.json", json.write(state));
                assertThat(second.first().state).isEqualTo(state);
            }
        }
        assertThat(second.first().decisions.stream().map(json::write)).isEqualTo(first.first().decisions.stream().map(json::write).toList());
        assertThat(first.first().moves()).isNotEmpty();
    }

    @Test
    void withoutStealTheCostOfAnOperationCounts() {
        UnaryOperator<Sample.Builder> blind = sample -> sample.set(Metric.STEAL, Double.NaN);
        Cluster cluster = new Cluster(5, builder -> {
            Policy usual = builder.build();
            return Policy.builder(usual.baseline(), usual.bounds(), ByHand.detector(), usual.knowledge()).levers(usual.levers())
                    .targetResponseTime(usual.targetResponseTime()).pace(usual.pace()).sharing(usual.sharing());
        });
        cluster.sensors = blind;
        cluster.pass(60);
        cluster.first().neighbour = Neighbour.SLICES;
        cluster.pass(HOUR);
        assertThat(cluster.first().moves()).as(told(cluster.first())).hasSizeBetween(1, TrafficShare.MAX_MOVES);
        assertThat(cluster.first().moves().get(0).evidence()).anyMatch(line -> line.contains("steal is not known"));
    }
}
