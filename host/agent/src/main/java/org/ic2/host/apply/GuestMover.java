// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.host.apply.OpenMoves.OpenMove;
import org.ic2.host.model.Migration;
import org.ic2.host.model.MoveCommand;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.json.Json;

/**
 * Has guests moved to other hosts by the provider's command, beside the loop, one at a time. The intent is in the journal and on the
 * disk before the command begins; that it ended well is not believed until the guest is seen to have moved. A guest whose move
 * failed, or of which it is unknown how it ended, is left alone until a person says {@code resume}: nothing is tried again blindly.
 * Not thread-safe.
 */
public final class GuestMover {

    private static final Logger LOG = Logger.getLogger(GuestMover.class.getName());

    /** Who knows where guests run. */
    public interface Whereabouts {
        /** True if a guest runs on a host now, by the names of a move; empty where that cannot be told. */
        Optional<Boolean> runs(Migration move, String host) throws InterruptedException;
    }

    /**
     * What it works with.
     *
     * @param deadline of a command; it is killed then
     * @param settling for so long after the command a guest need not be seen where it went
     * @param file     of the moves that are open
     */
    public record Parts(MoveCommand command, Duration deadline, Duration settling, Host host, Journal journal, Path file,
            Whereabouts whereabouts, LongSupplier nanoClock) {
    }

    /**
     * What came of a turn.
     *
     * @param done who has moved, in words
     * @param held who has not, and why
     */
    public record Report(List<String> done, List<String> held) {
        public Report {
            done = List.copyOf(done);
            held = List.copyOf(held);
        }
    }

    /** What runs beside the loop. */
    private record UnderWay(Migration move, CompletableFuture<String> problem) {
    }

    /** How the command ended that was under way. */
    private record Ended(String problem, long nanos) {
    }

    private final Parts parts;
    private final OpenMoves open;
    private Optional<UnderWay> underWay = Optional.empty();
    private Optional<Ended> ended = Optional.empty();

    /** @throws IOException when the file of open moves cannot be read */
    public GuestMover(Parts parts) throws IOException {
        this.parts = parts;
        open = new OpenMoves(parts.file());
    }

    /**
     * Takes note of what has ended, and begins one of the moves that are wanted if none is under way.
     *
     * @param id of the turn, for the journal
     */
    public Report turn(String id, List<Migration> wanted) throws InterruptedException {
        List<String> done = new ArrayList<>();
        List<String> held = new ArrayList<>();
        conclude(id, done, held);
        Set<String> busy = new HashSet<>();
        open.all().stream().filter(one -> one.failure().isEmpty()).forEach(one -> busy.addAll(hosts(one.move())));
        for (Migration move : wanted) {
            Optional<OpenMove> before = open.of(move.uuid());
            if (before.isPresent()) {
                held.add(before.get().failure().isEmpty() ? words(move) + ": it is moving already" : before.get().failure());
            } else if (underWay.isPresent() || !busy.isEmpty()) {
                held.add(words(move) + ": another move is under way");
            } else {
                begin(id, move, held);
                busy.addAll(hosts(move));
            }
        }
        return new Report(done, held);
    }

    /** True while a move is under way, as far as is known. */
    public boolean isMoving() {
        return underWay.isPresent() || open.all().stream().anyMatch(one -> one.failure().isEmpty());
    }

    /** Why guests are left alone. */
    public List<String> leftAlone() {
        return open.all().stream().map(OpenMove::failure).filter(failure -> !failure.isEmpty()).toList();
    }

    /** Guests that were left alone may be moved again. */
    public void resume() throws IOException {
        open.forget(open.all().stream().filter(one -> !one.failure().isEmpty()).toList());
    }

    private static Set<String> hosts(Migration move) {
        return Set.of(move.from(), move.to());
    }

    private static String words(Migration move) {
        return move.name() + " from " + move.from() + " to " + move.to();
    }

    private void begin(String id, Migration move, List<String> held) {
        List<String> command;
        try {
            command = parts.command().of(move);
            open.note(new OpenMove(move, ""));
        } catch (IllegalArgumentException | IOException e) {
            held.add(words(move) + ": nothing is moved: " + e.getMessage());
            return;
        }
        try {
            write(id, move, "MIGRATE", words(move) + ": " + move.why().formula(), Optional.of(command));
        } catch (IOException e) {
            held.add(words(move) + ": nothing is moved without a journal: " + e.getMessage());
            forget(new OpenMove(move, ""));
            return;
        }
        CompletableFuture<String> problem = new CompletableFuture<>();
        underWay = Optional.of(new UnderWay(move, problem));
        // at the end of this process the command goes on: half a migration is worse than one that nobody waits for
        Thread thread = new Thread(null, () -> run(command, problem), "moves " + move.name(), 256 * 1024);
        thread.setDaemon(true);
        thread.start();
        LOG.info(() -> "moves " + words(move));
    }

    private void run(List<String> command, CompletableFuture<String> problem) {
        try {
            CommandResult result = parts.host().run(command, parts.deadline());
            problem.complete(result.exitStatus() == 0 ? "" : command.get(0) + " ended with status " + result.exitStatus()
                    + (result.lastLine().isEmpty() ? "" : ": " + result.lastLine()));
        } catch (IOException e) {
            problem.complete(e.getMessage());
        } catch (InterruptedException e) {
            problem.complete("interrupted");
        } catch (RuntimeException e) {
            problem.complete(e.toString());
        }
    }

    private void conclude(String id, List<String> done, List<String> held) throws InterruptedException {
        if (underWay.isPresent() && !underWay.get().problem().isDone()) {
            held.add(words(underWay.get().move()) + ": it is under way");
            return;
        }
        if (ended.isEmpty() && underWay.isPresent()) {
            ended = Optional.of(new Ended(underWay.get().problem().join(), parts.nanoClock().getAsLong()));
        }
        for (OpenMove one : open.all()) {
            if (one.failure().isEmpty() && conclude(id, one, done, held)) {
                underWay = Optional.empty();
                ended = Optional.empty();
            }
        }
    }

    /** True when a move of which the command has ended, here or with an earlier agent, is over for us. */
    private boolean conclude(String id, OpenMove one, List<String> done, List<String> held) throws InterruptedException {
        Migration move = one.move();
        boolean well = ended.filter(how -> how.problem().isEmpty()).isPresent();
        Optional<Boolean> here = parts.whereabouts().runs(move, move.from());
        Optional<Boolean> there = parts.whereabouts().runs(move, move.to());
        if (here.equals(Optional.of(false)) && there.orElse(well)) {
            done.add(words(move));
            LOG.info(() -> words(move) + ": it has moved");
            log(id, move, "MIGRATED", words(move));
            forget(one);
            return true;
        }
        String seen = here.isEmpty() ? "whether it runs on " + move.from() + " cannot be told"
                : here.get() ? "it runs on " + move.from() : "it is not seen on " + move.to();
        if (well && parts.nanoClock().getAsLong() - ended.get().nanos() < parts.settling().toNanos()) {
            held.add(words(move) + ": " + seen + " as yet");
            return false;
        }
        String why = words(move) + ": " + ended.map(how -> well ? "its command ended well" : how.problem())
                .orElse("an earlier agent began it") + "; " + seen + "; it is left alone until \"ic2-host resume\"";
        held.add(why);
        LOG.severe(why);
        log(id, move, "NOT_MIGRATED", why);
        try {
            open.note(new OpenMove(move, why));
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
        return true;
    }

    private void forget(OpenMove one) {
        try {
            open.forget(List.of(one));
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }

    private void log(String id, Migration move, String action, String text) {
        try {
            write(id, move, action, text, Optional.empty());
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }

    private void write(String id, Migration move, String action, String text, Optional<List<String>> command) throws IOException {
        ObjectNode decision = Json.object().put("guest", move.uuid()).put("from", move.from()).put("to", move.to());
        ObjectNode numbers = decision.putObject("numbers");
        move.why().numbers().forEach(numbers::put);
        command.ifPresent(words -> words.forEach(decision.withArray("command")::add));
        parts.journal().append(new Entry.Decided(parts.journal().now(), id, "act", action, text, Optional.of(decision)));
    }
}
