// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.IOException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The only place where anything is changed. Each request passes the bounds, the cool-down, the action budget and the
 * journal before the first command; is read back from the servers after the last; and is rolled back when what runs is
 * not what was wanted.
 *
 * <p>A request that leads back towards the baseline is never held up: not by cool-down or budget, not by a journal that
 * cannot be written, and not by a server that cannot be read. One request at a time.
 *
 * <p>What runs of a lever is unknown from the moment something is sent until an order is known to be in force or refused.
 * Nothing leads such a lever away from the baseline, and whatever leads back is sent, whatever a server shows.
 */
public final class Executor implements AutoCloseable {

    private final ActuatorSet actuators;
    private final Limits limits;
    private final ChangeLog log;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final Budget budget;
    private final AppliedState tier;
    private final boolean independent;
    private final AtomicReference<Thread> caller = new AtomicReference<>();
    private long epoch;

    /**
     * An executor of one server or tier: a request is carried out as a whole, or rolled back as a whole.
     *
     * @param byLabel the actuators by their label in the configuration
     */
    public Executor(Map<String, Actuator> byLabel, Limits limits, Journal journal, Clock clock,
            LongSupplier nanoClock) {
        this(byLabel, limits, journal, clock, nanoClock, false);
    }

    /** An executor of actuators that do not depend on each other: one that fails is rolled back alone. */
    public static Executor ofIndependent(Map<String, Actuator> byLabel, Limits limits, Journal journal, Clock clock,
            LongSupplier nanoClock) {
        return new Executor(byLabel, limits, journal, clock, nanoClock, true);
    }

    private Executor(Map<String, Actuator> byLabel, Limits limits, Journal journal, Clock clock, LongSupplier nanoClock,
            boolean independent) {
        this.independent = independent;
        this.actuators = new ActuatorSet(byLabel, limits.levers(), nanoClock);
        this.limits = limits;
        this.log = new ChangeLog(journal);
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.budget = new Budget(limits, nanoClock);
        JournalReplay past = JournalReplay.of(journal.history(), limits.baseline());
        budget.restore(past, clock.instant());
        epoch = past.epoch();
        Settings ran = past.inForce().map(all -> all.only(actuators.levers())).orElse(Settings.none());
        tier = new AppliedState(actuators, limits.baseline().with(ran), past.open(), nanoClock);
    }

    /**
     * Takes over from the executor of an earlier configuration: what it knows of the levers that both have, the epoch,
     * and what it has counted and lets rest since the journal was opened.
     */
    public synchronized void continueFrom(Executor earlier) {
        synchronized (earlier) {
            epoch = earlier.epoch;
            budget.continueFrom(earlier.budget);
            tier.continueFrom(earlier.tier);
        }
    }

    /** Counts up with every request that changed something, also over restarts; samples carry it. */
    public synchronized long epoch() {
        return epoch;
    }

    /** The agent's orders of the last hour; those of people are not among them. */
    public synchronized int actionsInLastHour() {
        return budget.inLastHour();
    }

    /** What of the budgets is used. */
    public synchronized BudgetUse budget() {
        return budget.use(clock.instant());
    }

    /**
     * The levers of which it is unknown what runs: neither read nor set since the start, so that what is believed is of the
     * journal, or {@link #open}.
     */
    public synchronized Set<Knob> unknown() {
        Set<Knob> unknown = tier.open();
        unknown.addAll(tier.unread());
        return unknown;
    }

    /** The levers of which something was sent that has no outcome: it may be in force, or come into force at any time. */
    public synchronized Set<Knob> open() {
        return tier.open();
    }

    /** True when every lever is known to be at the baseline. */
    public synchronized boolean isAtBaseline() {
        return unknown().isEmpty() && isAtBaseline(tier.believed());
    }

    /** Takes note of values that somebody saw in force: one that was sent and given up has arrived after all. */
    public synchronized void seen(Settings running) {
        tier.seen(running);
    }

    /** What was in force when it was last read or set. */
    public synchronized Settings believed() {
        return tier.believed();
    }

    public Set<Knob> levers() {
        return actuators.levers();
    }

    /** What of the baseline the servers would refuse, so that it could not be restored; empty when they take it or do not tell. */
    public synchronized Optional<String> refusedBaseline() throws InterruptedException {
        return actuators.refused(limits.baseline().only(levers()));
    }

    /**
     * Reads what is in force now; a lever that no actuator knows keeps the value that was last believed.
     *
     * @throws IOException when an actuator could not be read; what the others said is believed all the same
     */
    public synchronized Settings readRunning() throws IOException, InterruptedException {
        Map<String, String> unread = tier.read(actuators.levers());
        if (!unread.isEmpty()) {
            throw new IOException(String.join("; ", unread.values()));
        }
        return tier.believed();
    }

    /**
     * Brings a configuration about, or says why not. Never throws for a server's failure. Only the servers whose values
     * are to change are asked what runs; for a whole restore all are, because nothing may be left behind.
     */
    public synchronized Result execute(ChangeRequest request) throws InterruptedException {
        caller.set(Thread.currentThread());
        try {
            return carryOut(request);
        } finally {
            caller.set(null);
        }
    }

    /** Interrupts the request that is being carried out, whoever asked for it; what it has sent has no outcome then. */
    public void interrupt() {
        Optional.ofNullable(caller.get()).ifPresent(Thread::interrupt);
    }

    private Result carryOut(ChangeRequest request) throws InterruptedException {
        boolean restores = isAtBaseline(request.desired());
        boolean back = restores || request.leadsBack();
        boolean decided = request.origin() == ChangeRequest.Origin.DECISION;
        Set<Knob> asked = restores ? Knob.set(actuators.levers()) : changed(request.desired());
        if (back) {
            asked.removeAll(tier.open());
        }
        Map<String, String> unread = tier.read(asked);
        Settings before = tier.believed();
        Set<Knob> moving = changed(request.desired());
        if (back || !decided) {
            moving.addAll(tier.open());
        }
        if (restores) {
            moving.addAll(tier.unread());
        }
        Map<String, Set<Knob>> parts = actuators.parts(moving);
        Map<String, String> idle = back || !decided ? Map.of() : idle(parts, unread);
        Optional<String> refusal = unmovable(before, request.desired()).or(() -> outside(moving, request.desired()))
                .or(() -> back || parts.isEmpty() ? Optional.empty() : notNow(request, before, parts, unread, idle));
        if (refusal.isPresent()) {
            log.refused(request, before, refusal.get());
            return new Result.Refused(refusal.get());
        }
        if (parts.isEmpty()) {
            return new Result.Applied(before, 0, List.of());
        }
        parts.keySet().removeAll(idle.keySet());
        ChangeRequest possible = request.to(merged(before, request.desired(), parts));
        Optional<String> unwritten = log.intent(possible, before);
        if (unwritten.isPresent() && !back) {
            return new Result.Refused("nothing is applied without a journal: " + unwritten.get());
        }
        return perform(possible, before, back, parts, List.copyOf(idle.values()));
    }

    private boolean isAtBaseline(Settings configuration) {
        return actuators.levers().stream().allMatch(lever -> configuration.same(limits.baseline(), lever));
    }

    private Set<Knob> changed(Settings desired) {
        Set<Knob> changed = Knob.set(actuators.levers());
        changed.removeIf(lever -> tier.believed().same(desired, lever));
        return changed;
    }

    private Optional<String> unmovable(Settings before, Settings desired) {
        Set<Knob> levers = actuators.levers();
        for (Knob lever : before.diff(desired)) {
            if (!levers.contains(lever)) {
                return Optional.of("no actuator moves " + lever.key() + "; configure one, and allow the lever");
            }
        }
        return Optional.empty();
    }

    private Optional<String> outside(Set<Knob> moving, Settings desired) {
        for (Knob lever : moving) {
            int value = desired.get(lever);
            if (limits.bounds().clamp(lever, value) != value && !desired.same(limits.baseline(), lever)) {
                return Optional.of(lever.key() + " " + lever.format(value) + " is outside the bounds "
                        + lever.format(limits.bounds().lowest().get(lever)) + " to "
                        + lever.format(limits.bounds().highest().get(lever)));
            }
        }
        return Optional.empty();
    }

    /** The actuators that cannot be moved now though others can, and why: unreadable, not heard of, or at rest. */
    private Map<String, String> idle(Map<String, Set<Knob>> parts, Map<String, String> unread) {
        Map<String, String> idle = new LinkedHashMap<>();
        parts.forEach((label, levers) -> Optional.ofNullable(unread.get(label)).or(() -> openOf(levers))
                .or(() -> actuators.coolingDown(label)).ifPresent(reason -> idle.put(label, reason)));
        return idle;
    }

    private Optional<String> openOf(Set<Knob> levers) {
        return levers.stream().filter(tier.open()::contains).findFirst().map(lever -> "what runs of " + lever.key()
                + " is unknown: what was sent last has no outcome, and the baseline comes first");
    }

    private Optional<String> notNow(ChangeRequest request, Settings before, Map<String, Set<Knob>> parts,
            Map<String, String> unread, Map<String, String> idle) {
        if (request.origin() != ChangeRequest.Origin.DECISION) {
            return parts.keySet().stream().filter(unread::containsKey).findFirst().map(label -> "what runs cannot be read, so nothing"
                    + " could be verified or rolled back: " + unread.get(label))
                    .or(() -> budget.refusalByHand(request.origin(), isAtBaseline(before), clock.instant()));
        }
        return budget.refusal(clock.instant()).or(() -> idle.keySet().containsAll(parts.keySet())
                ? Optional.of(String.join("; ", idle.values())) : Optional.empty());
    }

    private Result perform(ChangeRequest request, Settings before, boolean back, Map<String, Set<Knob>> parts,
            List<String> leftOut) throws InterruptedException {
        long start = nanoClock.getAsLong();
        // a cool-down goes by what led away: a step back that was too early may be taken back within it
        budget.count(request.origin(), !request.leadsBack() && !isAtBaseline(request.desired()), isAtBaseline(before));
        epoch++;
        try {
            ApplyAttempt round = new ApplyAttempt(tier, request.desired());
            if (back || independent) {
                round.askAll(parts);
            } else {
                round.askInTurn(parts);
            }
            if (round.problems().isEmpty()) {
                Result.Applied result = new Result.Applied(tier.believed(), (nanoClock.getAsLong() - start) / 1_000_000, leftOut);
                log.applied(request, result, tier.known(), epoch);
                return result;
            }
            return failed(request, before, back, round.problems(), round.answered());
        } catch (InterruptedException e) {
            log.failed(request, "interrupted; what runs is unknown", new Result.Failed("", false, Optional.empty()), epoch);
            throw e;
        }
    }

    /**
     * After a failure that does not lead back, what has answered goes back to where it was; of independent
     * actuators, what has failed, and of one with several levers those that are not as they should be. What has not answered is left alone for
     * now: it would hold up the turn once more; the loop restores it.
     */
    private Result failed(ChangeRequest request, Settings before, boolean back, Map<String, String> problems,
            Map<String, Set<Knob>> answered) throws InterruptedException {
        if (independent && !back) {
            answered.keySet().retainAll(problems.keySet());
            answered.replaceAll((label, levers) -> Knob.set(levers));
            tier.readAll(answered);
            answered.values().forEach(levers -> levers.removeIf(lever -> !tier.open().contains(lever)
                    && tier.believed().same(request.desired(), lever)));
        }
        boolean rolledBack = !back && tier.rollBack(answered, before) && answered.keySet().containsAll(problems.keySet());
        answered.keySet().retainAll(problems.keySet());
        Optional<Settings> running = tier.readAll(answered).isEmpty() ? tier.known() : Optional.empty();
        String problem = String.join("; ", problems.values());
        String end = back ? "" : rolledBack ? "; rolled back" : "; could not be rolled back";
        Result.Failed result = new Result.Failed(problem + end, rolledBack, running);
        log.failed(request, problem, result, epoch);
        return result;
    }

    private static Settings merged(Settings before, Settings desired, Map<String, Set<Knob>> parts) {
        Settings now = before;
        for (Set<Knob> levers : parts.values()) {
            now = now.with(desired.only(levers));
        }
        return now;
    }

    @Override
    public void close() {
        actuators.close();
    }
}
