// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Something that happens to the web tier or its load in the middle of a run. */
public sealed interface Change {
    /** When, from the begin of the measured time. */
    Duration at();

    /**
     * The administrator sets values by hand.
     *
     * @param values words of {@code apachectl reconfigure}: {@code MaxRequestWorkers=120}
     * @param php    children of php-fpm, by a reload
     */
    record SetValues(Duration at, Map<String, String> values, OptionalInt php) implements Change {
    }

    /**
     * More users come, for a while.
     *
     * @param users  how many more
     * @param length how long
     */
    record Surge(Duration at, int users, Duration length) implements Change {
    }

    /**
     * A load of its own for a while, beside the run's: users who do other things take the place of some.
     *
     * @param users  how many
     * @param length how long
     * @param other  true: they do other things than the run's
     */
    record Crowd(Duration at, int users, Duration length, boolean other) implements Change {
    }

    /**
     * Something else that happens on the tenant's side, done by {@code bin/testbed}.
     *
     * @param name  for messages
     * @param words of its command line; it ends by itself
     */
    record Disturbance(Duration at, String name, List<String> words) implements Change {
    }

    /**
     * A deployment makes every page cost more or less CPU.
     *
     * @param rounds on top of what each page costs, in the application's unit (OLIO_CPU_ROUNDS, 1000 steps, about 35 us); 0: as
     *               before
     */
    record PageCost(Duration at, int rounds) implements Change {
    }
}
