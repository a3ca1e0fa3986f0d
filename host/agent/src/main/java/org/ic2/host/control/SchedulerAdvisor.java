// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.control.PoolAdvice.Verdict;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.Pool;

/**
 * Which of Xen's two schedulers suits a pool (In Perfect Xen, 4.1), from how its guests wait. Never applied to a pool that runs.
 * Where virtual CPUs turn at barriers while others wait for a CPU, Credit2's short runs and its one queue save most of the time;
 * where everybody computes by itself, Credit1's long runs do; where guests sleep, neither is known to be better.
 */
public final class SchedulerAdvisor {
    /** What it reads. */
    public static final Set<GuestMetric> WANTED = Collections.unmodifiableSet(EnumSet.of(GuestMetric.CPU_RUN,
            GuestMetric.CPU_WAIT, GuestMetric.CPU_WAKEUPS));
    /** A virtual CPU that wakes up less often, 1/s, only ever stops when another takes its place. */
    public static final double WAKEUPS = 10;
    /** CPUs that a guest takes or waits for, below which it does not matter. */
    public static final double IDLE = 0.05;
    /** CPUs waited for, for each CPU of the pool, below which nobody waits. */
    public static final double NOBODY = 0.02;
    /** CPUs taken or waited for, above which two virtual CPUs run. */
    public static final double TWO = 1.2;

    private enum Habit {
        SPINS("it turns while it waits for its own"),
        ALONE("it stops only where another takes its place"),
        SLEEPS("it sleeps"),
        TOGETHER("it never sleeps; whether it turns at barriers or computes alone cannot be seen"),
        MISSING(""),
        IDLE("idle");

        private final String words;

        Habit(String words) {
            this.words = words;
        }
    }

    /** A guest, what is known of it, and what would tell more. */
    private record Member(Guest guest, Habit habit, String words, Optional<String> tells) {
    }

    /**
     * Advises.
     *
     * @param guests   who lives in the pool, the host's own domain too
     * @param window   what was measured of them
     * @param declared how they wait, by UUID, as far as somebody said
     */
    public PoolAdvice advise(Pool pool, List<Guest> guests, HostWindow window, Map<String, GuestWaits> declared) {
        if (!hasChoice(pool)) {
            return withoutChoice(pool);
        }
        int vcpus = guests.stream().mapToInt(Guest::vcpus).sum();
        String size = vcpus + " virtual CPUs on " + pool.cpus().size() + " physical ones";
        if (vcpus <= pool.cpus().size()) {
            return new PoolAdvice(pool, Verdict.EITHER,
                    List.of(size + ": not overcommitted, no difference between the schedulers is known"), List.of());
        }
        List<Member> members = guests.stream().filter(guest -> guest.guestClass() != GuestClass.HOST)
                .map(guest -> member(guest, window, Optional.ofNullable(declared.get(guest.uuid())))).toList();
        List<String> evidence = new ArrayList<>(List.of(size));
        members.stream().filter(member -> member.habit() != Habit.IDLE).map(Member::words).forEach(evidence::add);
        return decide(pool, members, evidence, waited(members, window));
    }

    /** True if it has one of Xen's two schedulers. */
    public static boolean hasChoice(Pool pool) {
        return pool.scheduler().equals("credit") || pool.scheduler().equals("credit2");
    }

    /** What is said of a pool with another scheduler. */
    public static PoolAdvice withoutChoice(Pool pool) {
        return new PoolAdvice(pool, Verdict.NO_ADVICE, List.of("its scheduler is " + pool.scheduler()
                + ": there is no choice between credit and credit2"), List.of());
    }

    /** CPUs that are waited for together; NaN if that is not known of everybody. */
    private static double waited(List<Member> members, HostWindow window) {
        return members.stream().mapToDouble(member -> window.mean(member.guest(), GuestMetric.CPU_WAIT)).sum();
    }

    private static PoolAdvice decide(Pool pool, List<Member> members, List<String> evidence, double waited) {
        if (waited < NOBODY * pool.cpus().size()) {
            evidence.add(number("%.2f CPUs are waited for: so little that no difference is known", waited));
            return new PoolAdvice(pool, Verdict.EITHER, evidence, List.of());
        }
        int spinning = members.stream().filter(member -> member.habit() == Habit.SPINS).mapToInt(member -> member.guest().vcpus()).sum();
        if (spinning > 1) {
            return new PoolAdvice(pool, Verdict.CREDIT2, evidence, List.of());
        }
        List<String> tells = members.stream().map(Member::tells).flatMap(Optional::stream).toList();
        if (!tells.isEmpty()) {
            return new PoolAdvice(pool, Verdict.UNKNOWN, evidence, tells);
        }
        boolean sleeps = members.stream().anyMatch(member -> member.habit() == Habit.SLEEPS);
        if (sleeps) {
            evidence.add("where guests sleep, neither scheduler is known to be better");
        }
        return new PoolAdvice(pool, sleeps ? Verdict.NO_ADVICE : Verdict.CREDIT, evidence, List.of());
    }

    private static Member member(Guest guest, HostWindow window, Optional<GuestWaits> declared) {
        for (GuestMetric metric : WANTED) {
            if (Double.isNaN(window.mean(guest, metric))) {
                String why = Optional.ofNullable(window.last().byUuid().get(guest.uuid())).map(of -> of.why(metric))
                        .filter(said -> !said.isEmpty()).orElse("not measured");
                return new Member(guest, Habit.MISSING, guest.name() + ": " + metric.key() + " is not known",
                        Optional.of(guest.name() + ": " + metric.key() + " (" + why + ")"));
            }
        }
        double run = window.mean(guest, GuestMetric.CPU_RUN);
        double wait = window.mean(guest, GuestMetric.CPU_WAIT);
        double wakeups = window.mean(guest, GuestMetric.CPU_WAKEUPS);
        Habit habit = run + wait < IDLE ? Habit.IDLE : declared.map(SchedulerAdvisor::declared)
                .orElseGet(() -> wakeups >= WAKEUPS * guest.vcpus() ? Habit.SLEEPS : run + wait > TWO ? Habit.TOGETHER : Habit.ALONE);
        String words = number("%s: %d virtual CPU%s, %.2f CPUs in use, %.2f waited for, %.1f wake-ups a second: ", guest.name(),
                guest.vcpus(), guest.vcpus() == 1 ? "" : "s", run, wait, wakeups) + habit.words
                + declared.map(waits -> " (waits: " + waits.key() + ")").orElse("");
        return new Member(guest, habit, words, habit != Habit.TOGETHER ? Optional.empty() : Optional.of(guest.name()
                + ": say in the configuration whether it turns at barriers (waits: spin; then credit2) or computes alone (waits: none;"
                + " then credit)"));
    }

    private static Habit declared(GuestWaits waits) {
        return switch (waits) {
            case SPIN -> Habit.SPINS;
            case BLOCK -> Habit.SLEEPS;
            case NONE -> Habit.ALONE;
        };
    }

    private static String number(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
