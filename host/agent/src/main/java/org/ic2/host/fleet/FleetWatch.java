// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.host.apply.GuestMover;
import org.ic2.host.config.FleetFile;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.model.Migration;
import org.ic2.host.model.MoveCommand;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.loop.Mode;

/**
 * Plans every 30 s for the hosts of a fleet, as the agents of all of them do with the same figures, and has those guests moved that
 * are to leave this host; the others are their own hosts' to move. Not thread-safe.
 */
public final class FleetWatch implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(FleetWatch.class.getName());
    /** Turns come a little early or late. */
    private static final double TOLERANCE = 0.9;

    private final Parts parts;
    private final String name;
    private final Optional<GuestMover> mover;
    /** By uuid, since when a guest has been seen here. */
    private final Map<String, Long> since = new HashMap<>();
    private MigrationPlanner.State state = MigrationPlanner.State.none();
    private Optional<Instant> asked = Optional.empty();
    private FleetReader.Told told = new FleetReader.Told(List.of(), List.of());
    private FleetReport latest;
    private FleetHost own;
    private Map<String, String> advised = Map.of();

    /** How guests are moved: the command, its deadline, where it runs, and the file of the moves that are open. */
    public record Moving(MoveCommand command, Duration deadline, Host host, Path file) {
    }

    /**
     * What it works with.
     *
     * @param moving none: moves are advice
     */
    public record Parts(FleetFile fleet, FleetReader reader, MigrationPlanner planner, Optional<Moving> moving, Journal journal,
            LongSupplier nanoClock) {
    }

    /** @throws IOException when the file of open moves cannot be read */
    public FleetWatch(Parts parts) throws IOException {
        this.parts = parts;
        name = parts.fleet().own().orElseThrow();
        latest = new FleetReport(name, List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
        own = new FleetHost(name, Instant.EPOCH, Double.NaN, Double.NaN, List.of());
        mover = parts.moving().isEmpty() ? Optional.empty() : Optional.of(mover(parts.moving().get()));
    }

    private GuestMover mover(Moving moving) throws IOException {
        return new GuestMover(new GuestMover.Parts(moving.command(), moving.deadline(), parts.fleet().stale(), moving.host(),
                parts.journal(), moving.file(), this::runs, parts.nanoClock()));
    }

    /**
     * One turn.
     *
     * @param id       of the turn, for the journal
     * @param measured what is known of this host
     * @param manual   true in manual mode
     */
    public FleetReport turn(String id, FleetHost measured, Mode mode, boolean manual) throws InterruptedException {
        own = Identities.named(name, measured);
        since.keySet().retainAll(own.guests().stream().map(FleetHost.Resident::uuid).toList());
        own.guests().forEach(guest -> since.putIfAbsent(guest.uuid(), parts.nanoClock().getAsLong()));
        List<Migration> wanted = List.of();
        if (isDue(own.time())) {
            asked = Optional.of(own.time());
            FleetReader.Told now = parts.reader().ask();
            now.silent().stream().filter(why -> !told.silent().contains(why)).forEach(why -> LOG.warning("fleet: " + why));
            told = now;
            latest = plan(mode, manual);
            List<Migration> ours = latest.moves().stream().filter(latest::isOurs).toList();
            if (mode == Mode.ACT && mover.isPresent()) {
                wanted = ours;
            } else {
                advise(id, mode, ours);
            }
        }
        if (mover.isEmpty()) {
            return latest;
        }
        GuestMover.Report report = mover.get().turn(id, wanted);
        return latest.after(report.done(), report.held(), mover.get().leftAlone());
    }

    /** A clock that was set back makes it due, too. */
    private boolean isDue(Instant now) {
        Duration passed = asked.map(before -> Duration.between(before, now)).orElse(MigrationPlanner.PERIOD);
        return passed.isNegative() || passed.toNanos() >= MigrationPlanner.PERIOD.toNanos() * TOLERANCE;
    }

    private FleetReport plan(Mode mode, boolean manual) {
        List<FleetHost> hosts = new ArrayList<>(List.of(own));
        hosts.addAll(told.hosts());
        if (mode == Mode.OBSERVE || manual || mover.filter(GuestMover::isMoving).isPresent()) {
            state = new MigrationPlanner.State(Map.of(), state.moved(), state.seen());      // what comes next is no second period
            return new FleetReport(name, hosts, told.silent(), List.of(), List.of(), List.of(), List.of());
        }
        MigrationPlanner.Step step = parts.planner().step(state, own.time(), hosts);
        boolean acts = mode == Mode.ACT && mover.isPresent();
        List<Migration> early = acts ? step.moves().stream().filter(this::isEarly).toList() : List.of();
        List<String> held = new ArrayList<>(step.held());
        early.forEach(move -> held.add(move.name() + " from " + move.from() + " to " + move.to() + ": this agent has seen it here for less"
                + " than " + parts.planner().rest().toMinutes() + " minutes: it may have moved lately"));
        state = acts && early.isEmpty() ? step.state() : step.unfollowed();
        return new FleetReport(name, hosts, told.silent(), step.moves().stream().filter(move -> !early.contains(move)).toList(), held,
                List.of(), List.of());
    }

    /** What nobody has told of it counts as well: its former host may be silent, and this agent new. */
    private boolean isEarly(Migration move) {
        return move.from().equals(name) && parts.nanoClock().getAsLong() - since.get(move.uuid()) < parts.planner().rest().toNanos();
    }

    /** What should move is written down when it is somebody else, or goes elsewhere. */
    private void advise(String id, Mode mode, List<Migration> ours) {
        Map<String, String> now = new HashMap<>();
        ours.forEach(move -> now.put(move.uuid(), move.to()));
        if (!now.isEmpty() && !now.equals(advised)) {
            ArrayNode moves = Json.object().putArray("migrations");
            StringJoiner words = new StringJoiner(", ");
            ours.forEach(move -> {
                moves.add(FleetJson.write(move));
                words.add(move.name() + " from " + move.from() + " to " + move.to() + ": " + move.why().formula());
            });
            try {
                parts.journal().append(new Entry.Decided(parts.journal().now(), id, mode.toString(), "ADVISE", words.toString(),
                        Optional.of(Json.object().set("migrations", moves))));
            } catch (IOException e) {
                LOG.severe(e.getMessage());
            }
        }
        advised = now;
    }

    /** Where a guest is seen: here, or by what another host tells that is not too old. */
    private Optional<Boolean> runs(Migration move, String host) {
        return (host.equals(name) ? Optional.of(own) : told.hosts().stream().filter(one -> one.name().equals(host)).findFirst())
                .filter(one -> Duration.between(one.time(), own.time()).abs().compareTo(parts.fleet().stale()) <= 0)
                .map(one -> one.guests().stream().anyMatch(guest -> guest.uuid().equals(move.uuid())));
    }

    /** Guests that were left alone may be moved again. */
    public void resume() throws IOException {
        if (mover.isPresent()) {
            mover.get().resume();
        }
    }

    @Override
    public void close() {
        parts.reader().close();
    }
}
