// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.ic2.host.control.UtilizationController.Demand;
import org.ic2.host.control.UtilizationController.Next;
import org.ic2.host.control.UtilizationController.Recent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Equations 1 to 3 of the joint controller, and our law. */
class UtilizationControllerTest {
    private static final UtilizationController PAPER = new UtilizationController(ControlLaw.PAPER, 1);
    private static final UtilizationController OURS = new UtilizationController(ControlLaw.ASYMMETRIC, 1);

    private static Demand memory(double u, double v) {
        return new Demand(u, v, 0.9, 0, 0, 230, 1024);
    }

    private static double paper(double u, double v) {
        return PAPER.next(Recent.none(), memory(u, v)).allocation();
    }

    @ParameterizedTest
    @CsvSource({"512, 256, 398.222", "512, 460.8, 512", "512, 512, 568.889", "1024, 256, 839.111"})
    void theLawOfThePaper(double u, double v, double next) {
        assertThat(paper(u, v)).isCloseTo(next, within(0.0005));
    }

    @Test
    void theLawOfThePaperTakesBackStepByStep() {
        double u = 1024;
        for (double next : new double[] {839.1, 669.9, 522.6, 405.9, 329.3}) {
            u = paper(u, 256);
            assertThat(u).isCloseTo(next, within(0.05));
        }
    }

    @Test
    void cpusAreClamped() {
        UtilizationController cpu = new UtilizationController(ControlLaw.PAPER, 1.5);
        Demand demand = new Demand(0.6, 0.6, 0.5, Double.NaN, Double.NaN, 0.1, 100);
        assertThat(cpu.next(Recent.none(), demand).allocation()).isCloseTo(1.5, within(1e-12));
        assertThat(cpu.next(Recent.none(), new Demand(0.6, 0.6, 0.5, Double.NaN, Double.NaN, 0.1, 0.9)).allocation())
                .isEqualTo(0.9);
        assertThat(cpu.next(Recent.none(), new Demand(0.12, 0.01, 0.5, Double.NaN, Double.NaN, 0.1, 0.9)).allocation())
                .isBetween(0.1, 0.12);
    }

    @Test
    void theFixedPointIsTheUtilizationThatIsWanted() {
        double u = 900;
        for (int i = 0; i < 60; i++) {
            u = paper(u, 450);
        }
        assertThat(450 / u).isCloseTo(0.9, within(1e-6));
    }

    @Test
    void aDoubledDemandIsMetInTwoIntervalsInsteadOfSix() {
        assertThat(lacking(PAPER)).isEqualTo(6);
        assertThat(lacking(OURS)).isEqualTo(2);
    }

    /** Intervals in which a guest has too little that had 300 MiB with 270 in use and now needs 540. */
    private static int lacking(UtilizationController law) {
        Recent recent = Recent.none();
        double u = 300;
        int steps = 0;
        while (u < 540) {
            Next next = law.next(recent, memory(u, Math.min(u, 540)));
            recent = next.recent();
            u = next.allocation();
            steps++;
        }
        return steps;
    }

    @Test
    void aLackIsSeenInFaultsAndPressureToo() {
        assertThat(OURS.next(Recent.none(), memory(500, 490)).allocation()).isCloseTo(700, within(1e-9));
        assertThat(OURS.next(Recent.none(), new Demand(500, 360, 0.9, 20.5, 0, 230, 1024)).allocation()).isCloseTo(700,
                within(1e-9));
        assertThat(OURS.next(Recent.none(), new Demand(500, 360, 0.9, 20, 0.051, 230, 1024)).allocation()).isCloseTo(700,
                within(1e-9));
        assertThat(OURS.next(Recent.none(), new Demand(500, 300, 0.9, 20, 0.05, 230, 1024)).allocation()).isEqualTo(475);
        assertThat(OURS.next(Recent.none(), new Demand(500, 300, 0.9, Double.NaN, Double.NaN, 230, 1024)).allocation())
                .isEqualTo(475);
    }

    /** Page cache that thrashes never seems to be in use. */
    @Test
    void faultsCountHoweverLittleSeemsInUse() {
        assertThat(OURS.next(Recent.none(), new Demand(500, 10, 0.9, 20.5, 0, 230, 1024)).allocation()).isCloseTo(700, within(1e-9));
        assertThat(OURS.next(Recent.none(), new Demand(500, 10, 0.9, 0, 0.06, 230, 1024)).allocation()).isCloseTo(700, within(1e-9));
    }

    @Test
    void afterALackNothingIsTakenForFivePeriodsAndThenATwentiethAtMost() {
        Next next = OURS.next(Recent.none(), memory(500, 500));
        for (int i = 0; i < 5; i++) {
            next = OURS.next(next.recent(), memory(700, 100));
            assertThat(next.allocation()).as("period %d", i + 1).isEqualTo(700);
        }
        assertThat(OURS.next(next.recent(), memory(700, 100)).allocation()).isEqualTo(665);
    }

    @Test
    void anIdleGuestGivesBackByOurLawAndKeepsEverythingByThePapers() {
        assertThat(paper(500, 0)).isEqualTo(500);
        Next next = OURS.next(Recent.none(), memory(500, 0));
        assertThat(next.allocation()).isEqualTo(475);
        assertThat(next.why().formula()).contains("as v < ref u / 2");
        for (int i = 0; i < 20; i++) {
            next = OURS.next(next.recent(), memory(next.allocation(), 0));
        }
        assertThat(next.allocation()).isEqualTo(230);
        UtilizationController timid = new UtilizationController(ControlLaw.ASYMMETRIC, 0.1);
        assertThat(timid.next(Recent.none(), memory(500, 0)).allocation()).as("500 - 0.1 0.9 500 / 4").isCloseTo(488.75, within(1e-9));
    }

    @Test
    void whatItNeedsIsWhatItUsedLatelyAtTheReference() {
        Next next = OURS.next(Recent.none(), memory(600, 450));
        assertThat(next.need()).isCloseTo(500, within(1e-9));
        assertThat(OURS.next(next.recent(), memory(600, 100)).need()).isCloseTo(500, within(1e-9));
        assertThat(OURS.next(Recent.none(), memory(600, 1)).need()).as("its least").isEqualTo(230);
    }

    @Test
    void neverBelowWhatTheLastTwentyPeriodsUsed() {
        Next next = OURS.next(Recent.none(), memory(600, 450));
        double u = next.allocation();
        for (int i = 2; i <= 20; i++) {
            next = OURS.next(next.recent(), memory(u, 100));
            u = next.allocation();
            assertThat(u).as("period %d", i).isGreaterThanOrEqualTo(500);
        }
        assertThat(u).isCloseTo(500, within(1e-9));
        assertThat(OURS.next(next.recent(), memory(u, 100)).allocation()).isEqualTo(475);
    }

    @Test
    void theNumbersOfADecisionAreThere() {
        Next next = OURS.next(Recent.none(), memory(512, 256));
        assertThat(next.why().formula()).contains("u - lambda v (ref - v/u) / ref");
        assertThat(next.why().numbers()).containsEntry("u", 512.0).containsEntry("v", 256.0).containsEntry("ref", 0.9)
                .containsEntry("lambda", 1.0).containsEntry("next", next.allocation()).containsEntry("faults", 0.0);
    }

    @Test
    void whatIsNoDemandIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Demand(0, 1, 0.9, 0, 0, 1, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Demand(1, Double.NaN, 0.9, 0, 0, 1, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Demand(1, 1, 0, 0, 0, 1, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new Demand(1, 1, 0.9, 0, 0, 3, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new UtilizationController(ControlLaw.ASYMMETRIC, 1, 1))
                .withMessageContaining("up: expected a number above 1");
        assertThatIllegalArgumentException().isThrownBy(() -> new UtilizationController(ControlLaw.PAPER, 0))
                .withMessageContaining("lambda");
    }

    @Test
    void aHundredThousandStepsStayWithinTheBoundsAndTheSteps() {
        SplittableRandom random = new SplittableRandom(11);
        Recent recent = Recent.none();
        double u = 512;
        for (int i = 0; i < 100_000; i++) {
            double v = u * Math.min(1, random.nextDouble() * 1.2);
            Demand demand = new Demand(u, v, 0.9, random.nextInt(50), random.nextDouble() / 10, 230, 1024);
            Next next = OURS.next(recent, demand);
            boolean within = next.allocation() >= Math.max(230, 0.95 * u - 1e-9) && next.allocation() <= 1024;
            int patience = next.recent().patience();
            boolean remembers = next.recent().uses().size() <= 20 && patience >= 0 && patience <= 5;
            if (!within || !remembers) {
                fail("step " + i + ": " + demand + " became " + next);
            }
            recent = next.recent();
            u = next.allocation();
        }
    }
}
