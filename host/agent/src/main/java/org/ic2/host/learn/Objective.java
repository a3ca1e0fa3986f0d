// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.GuestClass;

/**
 * What a setting costs: the sum over the guests of the time that they wait, in percent of the window (paper T, eq. 1), and,
 * since a cap hides waiting as parking, of the time that they are throttled. What gains by starving somebody is infeasible.
 *
 * @param throttled  whether throttled time counts too
 * @param host       whether the host's own domain counts
 * @param throughput the least share of the default's CPU use that all guests must reach together, 0 to 1
 * @param minShare   the least share of its own CPU use under the default that each guest must reach, 0 to 1
 */
public record Objective(boolean throttled, boolean host, double throughput, double minShare) {
    public Objective {
        check("throughput", throughput);
        check("min-share", minShare);
    }

    private static void check(String what, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(what + ": expected a share from 0 to 1, got " + share);
        }
    }

    /** Ours: waiting and throttled time of all, CPU use within 2 %, no guest below half of what it had. */
    public static Objective waitAndThrottled() {
        return new Objective(true, true, 0.98, 0.5);
    }

    /** The paper's: waiting alone, whatever becomes of the throughput. */
    public static Objective waitAlone() {
        return new Objective(false, true, 0, 0);
    }

    /** The same without, or with, the host's own domain. */
    public Objective withHost(boolean counted) {
        return new Objective(throttled, counted, throughput, minShare);
    }

    /** The same with another least share of each guest. */
    public Objective withMinShare(double share) {
        return new Objective(throttled, host, throughput, share);
    }

    /** The cost of an outcome, percent of the window, summed over the guests; infinite where the host did not take the setting. */
    public double value(Outcome outcome) {
        if (outcome.refused().isPresent()) {
            return Double.POSITIVE_INFINITY;
        }
        return outcome.shares().stream().filter(share -> host || share.guestClass() != GuestClass.HOST)
                .mapToDouble(share -> 100 * (share.waited() + (throttled ? share.throttled() : 0))).sum();
    }

    /** Why an outcome may not be wanted at any cost; empty if it may. {@code base} is the default's. */
    public Optional<String> infeasible(Outcome outcome, Outcome base) {
        if (outcome.refused().isPresent()) {
            return outcome.refused();
        }
        if (outcome.run() < throughput * base.run()) {
            return Optional.of("all guests use %.3f CPUs, %.3f with the default: below %.2f of it"
                    .formatted(outcome.run(), base.run(), throughput));
        }
        Map<String, Double> run = new HashMap<>();
        outcome.shares().forEach(share -> run.put(share.guest(), share.run()));
        for (CpuShare share : base.shares()) {
            Double now = run.get(share.guest());
            if (now == null) {
                return Optional.of(share.guest() + " is gone");
            }
            if (now < minShare * share.run()) {
                return Optional.of("%s uses %.3f CPUs, %.3f with the default: below its minimum share of %.2f"
                        .formatted(share.guest(), now, share.run(), minShare));
            }
        }
        return Optional.empty();
    }

    /** The cost of an outcome; infinite if it is infeasible. */
    public double cost(Outcome outcome, Outcome base) {
        return infeasible(outcome, base).isPresent() ? Double.POSITIVE_INFINITY : value(outcome);
    }
}
