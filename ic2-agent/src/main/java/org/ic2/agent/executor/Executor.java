// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.agent.actuator.Actuator;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;

/**
 * The only place where anything is changed. Each order passes the bounds, the cool-down, the action budget and the
 * journal before the first command; is read back from the servers after the last; and is rolled back when what runs is
 * not what was wanted.
 *
 * <p>An order that leads back towards the baseline is never held up: not by cool-down or budget, not by a journal that
 * cannot be written, and not by a server that cannot be read. One order at a time.
 */
public final class Executor implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Executor.class.getName());

    private final Fleet fleet;
    private final Safety safety;
    private final Journal journal;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final Budget budget;
    private final Set<Lever> unknown;
    private Configuration believed;
    private long epoch;

    /**
     * @param actuators by their label in the configuration
     */
    public Executor(Map<String, Actuator> actuators, Safety safety, Journal journal, Clock clock,
            LongSupplier nanoClock) {
        this.fleet = new Fleet(actuators, safety.levers(), nanoClock);
        this.safety = safety;
        this.journal = journal;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.budget = new Budget(safety, nanoClock);
        this.believed = safety.baseline();
        this.unknown = EnumSet.noneOf(Lever.class);
        unknown.addAll(fleet.levers());
        PastActions past = PastActions.of(journal.history(), safety.baseline());
        budget.restore(past.actions(), past.lastAway(), clock.instant());
        epoch = past.epoch();
        past.inForce().ifPresent(ran -> fleet.levers().forEach(lever ->
                believed = believed.with(lever, ran.get(lever))));
    }

    /**
     * Takes over from the executor of an earlier configuration: what it knows of the levers that both have, the epoch,
     * and what it has counted and lets rest since the journal was opened.
     */
    public synchronized void continueFrom(Executor earlier) {
        synchronized (earlier) {
            epoch = earlier.epoch;
            budget.continueFrom(earlier.budget);
            fleet.continueFrom(earlier.fleet);
            for (Lever lever : fleet.levers()) {
                if (earlier.levers().contains(lever)) {
                    believed = believed.with(lever, earlier.believed.get(lever));
                    if (!earlier.unknown.contains(lever)) {
                        unknown.remove(lever);
                    }
                }
            }
        }
    }

    /** Counts up with every order that changed something, also over restarts; samples carry it. */
    public synchronized long epoch() {
        return epoch;
    }

    /** Orders of the last hour. */
    public synchronized int actionsInLastHour() {
        return budget.inLastHour();
    }

    /** The levers whose values were neither read nor set since the start; what is believed of them is of the journal. */
    public synchronized Set<Lever> unknown() {
        EnumSet<Lever> copy = EnumSet.noneOf(Lever.class);
        copy.addAll(unknown);
        return copy;
    }

    /** What was in force when it was last read or set. */
    public synchronized Configuration believed() {
        return believed;
    }

    public Set<Lever> levers() {
        return fleet.levers();
    }

    /**
     * Reads what is in force now; a lever that no actuator knows keeps the value that was last believed.
     *
     * @throws IOException when an actuator could not be read; what the others said is believed all the same
     */
    public synchronized Configuration readRunning() throws IOException, InterruptedException {
        Map<String, String> unread = read(fleet.levers());
        if (!unread.isEmpty()) {
            throw new IOException(String.join("; ", unread.values()));
        }
        return believed;
    }

    /** Believes what the actuators of these levers say; why some could not be read, by their label. */
    private Map<String, String> read(Set<Lever> levers) throws InterruptedException {
        Map<String, String> unread = new LinkedHashMap<>();
        for (Map.Entry<String, Set<Lever>> part : fleet.parts(levers).entrySet()) {
            try {
                for (Map.Entry<Lever, Integer> value : fleet.running(part.getKey(), part.getValue()).entrySet()) {
                    believed = believed.with(value.getKey(), value.getValue());
                }
                unknown.removeAll(part.getValue());
            } catch (IOException e) {
                unread.put(part.getKey(), e.getMessage());
            }
        }
        return unread;
    }

    /**
     * Brings a configuration about, or says why not. Never throws for a server's failure. Only the servers whose values
     * are to change are asked what runs; on the whole way home all are, because home is where nothing is left behind.
     */
    public synchronized Result execute(Order order) throws InterruptedException {
        boolean home = isHome(order.desired());
        boolean back = home || order.leadsBack();
        Map<String, String> unread = read(home ? fleet.levers() : changed(order.desired()));
        Configuration before = believed;
        Set<Lever> moving = changed(order.desired());
        if (home) {
            moving.addAll(unknown);
        }
        Map<String, Set<Lever>> parts = fleet.parts(moving);
        Optional<String> refusal = unmovable(before, order.desired()).or(() -> outside(moving, order.desired()))
                .or(() -> back ? Optional.empty() : unreadable(parts, unread).or(() -> notNow(order, parts)));
        if (refusal.isPresent()) {
            record(order, "refused", before, refusal.get());
            return new Result.Refused(refusal.get());
        }
        if (parts.isEmpty()) {
            return new Result.Applied(before, 0);
        }
        Optional<String> unwritten = recordIntent(order, before);
        if (unwritten.isPresent() && !back) {
            return new Result.Refused("nothing is applied without a journal: " + unwritten.get());
        }
        return perform(order, before, back, parts);
    }

    private boolean isHome(Configuration configuration) {
        return fleet.levers().stream().allMatch(lever -> configuration.get(lever) == safety.baseline().get(lever));
    }

    private Set<Lever> changed(Configuration desired) {
        EnumSet<Lever> changed = EnumSet.noneOf(Lever.class);
        for (Lever lever : fleet.levers()) {
            if (believed.get(lever) != desired.get(lever)) {
                changed.add(lever);
            }
        }
        return changed;
    }

    private Optional<String> unmovable(Configuration before, Configuration desired) {
        for (Lever lever : Lever.values()) {
            if (!fleet.levers().contains(lever) && before.get(lever) != desired.get(lever)) {
                return Optional.of("no actuator moves " + lever.key() + "; configure one, and allow the lever");
            }
        }
        return Optional.empty();
    }

    private Optional<String> outside(Set<Lever> moving, Configuration desired) {
        for (Lever lever : moving) {
            int value = desired.get(lever);
            if (safety.bounds().clamp(lever, value) != value) {
                return Optional.of(lever.key() + " " + lever.format(value) + " is outside the bounds "
                        + lever.format(safety.bounds().lowest().get(lever)) + " to "
                        + lever.format(safety.bounds().highest().get(lever)));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> unreadable(Map<String, Set<Lever>> parts, Map<String, String> unread) {
        return parts.keySet().stream().filter(unread::containsKey).findFirst().map(label ->
                "what runs cannot be read, so nothing could be verified or rolled back: " + label + ": " + unread.get(label));
    }

    private Optional<String> notNow(Order order, Map<String, Set<Lever>> parts) {
        if (order.origin() != Order.Origin.DECISION || parts.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> spent = budget.refusal();
        return spent.isPresent() ? spent
                : parts.keySet().stream().map(fleet::coolingDown).flatMap(Optional::stream).findFirst();
    }

    private Result perform(Order order, Configuration before, boolean back, Map<String, Set<Lever>> parts)
            throws InterruptedException {
        long start = nanoClock.getAsLong();
        budget.count(!isHome(order.desired()));
        epoch++;
        Map<String, Set<Lever>> touched = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, Set<Lever>> part : parts.entrySet()) {
            touched.put(part.getKey(), part.getValue());
            applyAndVerify(part.getKey(), part.getValue(), order.desired()).ifPresent(problems::add);
            // On the way back every actuator is tried; on the way out the first failure ends it.
            if (!problems.isEmpty() && !back) {
                break;
            }
        }
        if (problems.isEmpty()) {
            believed = merged(before, order.desired(), parts);
            parts.values().forEach(unknown::removeAll);
            long millis = (nanoClock.getAsLong() - start) / 1_000_000;
            recordApplied(order, believed, millis);
            return new Result.Applied(believed, millis);
        }
        String problem = String.join("; ", problems);
        boolean rolledBack = !back && rollBack(touched, before);
        Set<Lever> levers = EnumSet.noneOf(Lever.class);
        parts.values().forEach(levers::addAll);
        Optional<Configuration> running = read(levers).isEmpty() ? Optional.of(believed) : Optional.empty();
        recordFailed(order, problem, rolledBack, running);
        return new Result.Failed(problem + (back ? "" : rolledBack ? "; rolled back" : "; could not be rolled back"),
                rolledBack, running);
    }

    private Optional<String> applyAndVerify(String label, Set<Lever> levers, Configuration desired)
            throws InterruptedException {
        try {
            fleet.apply(label, levers, desired);
            return fleet.awaitRunning(label, levers, desired);
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
    }

    private boolean rollBack(Map<String, Set<Lever>> touched, Configuration before) throws InterruptedException {
        boolean complete = true;
        for (Map.Entry<String, Set<Lever>> part : touched.entrySet()) {
            Optional<String> problem = applyAndVerify(part.getKey(), part.getValue(), before);
            complete = complete && problem.isEmpty();
        }
        return complete;
    }

    private static Configuration merged(Configuration before, Configuration desired, Map<String, Set<Lever>> parts) {
        Configuration now = before;
        for (Set<Lever> levers : parts.values()) {
            for (Lever lever : levers) {
                now = now.with(lever, desired.get(lever));
            }
        }
        return now;
    }

    private Optional<String> recordIntent(Order order, Configuration before) {
        ObjectNode entry = start(order, "intent");
        ConfigurationJson.put(entry.putObject("before"), before);
        ConfigurationJson.put(entry.putObject("desired"), order.desired());
        order.decision().ifPresent(decision -> entry.set("decision", decision));
        return write(entry);
    }

    private void recordApplied(Order order, Configuration now, long millis) {
        ObjectNode entry = start(order, "applied").put("millis", millis).put("epoch", epoch);
        ConfigurationJson.put(entry.putObject("configuration"), now);
        write(entry);
    }

    private void recordFailed(Order order, String problem, boolean rolledBack, Optional<Configuration> running) {
        ObjectNode entry = start(order, "failed").put("problem", problem).put("rolled_back", rolledBack)
                .put("epoch", epoch);
        running.ifPresent(configuration -> ConfigurationJson.put(entry.putObject("configuration"), configuration));
        write(entry);
        LOG.warning(() -> order.id() + " " + order.action() + " failed: " + problem
                + (rolledBack ? "; rolled back" : ""));
    }

    private void record(Order order, String kind, Configuration before, String problem) {
        ObjectNode entry = start(order, kind).put("problem", problem);
        ConfigurationJson.put(entry.putObject("configuration"), before);
        ConfigurationJson.put(entry.putObject("desired"), order.desired());
        write(entry);
    }

    private ObjectNode start(Order order, String kind) {
        return journal.entry(kind).put("id", order.id()).put("origin", order.origin().name())
                .put("action", order.action()).put("reason", order.reason());
    }

    private Optional<String> write(ObjectNode entry) {
        try {
            journal.append(entry);
            return Optional.empty();
        } catch (IOException e) {
            LOG.log(Level.SEVERE, e.getMessage());
            return Optional.of(e.getMessage());
        }
    }

    @Override
    public void close() {
        fleet.close();
    }
}
