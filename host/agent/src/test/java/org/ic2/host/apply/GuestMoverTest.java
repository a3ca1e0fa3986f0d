// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.model.Migration;
import org.ic2.host.model.MoveCommand;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real commands; a file for each host and guest says where guests are. */
class GuestMoverTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String MOVE = "printf '%s\\n' \"$@\" >>\"$0/ran\"; mv \"$0/$2-$1\" \"$0/$3-$1\"";

    @TempDir
    private Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private Journal journal;

    @BeforeEach
    void begin() throws IOException {
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
    }

    @AfterEach
    void end() throws IOException {
        journal.close();
    }

    private Migration move(String name, String from, String to) throws IOException {
        Path here = directory.resolve(from + "-" + name);
        if (Files.notExists(here)) {
            Files.createFile(here);
        }
        return new Migration("uuid of " + name, "7", name, from, to, new Rationale("as the test says", Map.of("W", 0.5)));
    }

    private GuestMover mover(Duration deadline, String script) throws IOException {
        MoveCommand command = new MoveCommand(List.of("sh", "-c", script, directory.toString(), "{name}", "{from}", "{to}"));
        return new GuestMover(new GuestMover.Parts(command, deadline, Duration.ofSeconds(10), new LocalHost(), journal,
                directory.resolve("moves.json"), (move, host) -> Optional.of(Files.exists(directory.resolve(host + "-" + move.name()))),
                nanos::get));
    }

    /** Turns until the move that is under way is not any more. */
    private GuestMover.Report ended(GuestMover mover, Migration... wanted) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        GuestMover.Report report = mover.turn("t", List.of(wanted));
        while (report.held().stream().anyMatch(why -> why.endsWith("it is under way") || why.contains("as yet"))) {
            assertThat(System.nanoTime()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(20);
            report = mover.turn("t", List.of(wanted));
        }
        return report;
    }

    private List<String> actions() throws IOException {
        return Files.readAllLines(directory.resolve("journal.jsonl")).stream().filter(line -> line.contains("MIGRATE"))
                .map(line -> line.replaceAll(".*\"action\":\"(\\w+)\".*", "$1")).toList();
    }

    @Test
    void aGuestIsMovedByWordsThatNoShellSeesAndSeenThere() throws Exception {
        Migration move = move("web $(touch oops) 1", "a", "b");
        GuestMover mover = mover(PATIENCE, MOVE);

        assertThat(mover.turn("t1", List.of(move)).held()).isEmpty();
        assertThat(Files.readString(directory.resolve("journal.jsonl"))).contains("\"action\":\"MIGRATE\"", "\"W\":0.5", "as the test says");
        assertThat(ended(mover).done()).containsExactly("web $(touch oops) 1 from a to b");

        assertThat(Files.readAllLines(directory.resolve("ran"))).containsExactly("web $(touch oops) 1", "a", "b");
        assertThat(directory.resolve("b-web $(touch oops) 1")).exists();
        assertThat(actions()).containsExactly("MIGRATE", "MIGRATED");
        assertThat(mover.turn("t9", List.of()).held()).isEmpty();
        assertThat(Files.readString(directory.resolve("moves.json"))).contains("\"moves\":[]");
    }

    @Test
    void oneMoveIsUnderWayAtATime() throws Exception {
        Migration web = move("web", "a", "b");
        Migration db = move("db", "c", "d");
        GuestMover mover = mover(PATIENCE, "while [ ! -e \"$0/go\" ]; do sleep 0.02; done; " + MOVE);

        assertThat(mover.turn("t1", List.of(web, db)).held()).containsExactly("db from c to d: another move is under way");
        assertThat(mover.turn("t2", List.of(web, db)).held()).containsExactly("web from a to b: it is under way",
                "web from a to b: it is moving already", "db from c to d: another move is under way");
        Files.createFile(directory.resolve("go"));
        assertThat(ended(mover).done()).containsExactly("web from a to b");
        mover.turn("t4", List.of(db));
        assertThat(ended(mover).done()).containsExactly("db from c to d");
    }

    @Test
    void whatFailsIsLeftAloneUntilResume() throws Exception {
        Migration move = move("web", "a", "b");
        GuestMover mover = mover(PATIENCE, "echo no route >&2; echo x >>\"$0/tries\"; exit 3");
        mover.turn("t1", List.of(move));

        assertThat(ended(mover).held()).singleElement().asString().contains("sh ended with status 3", "it runs on a", "left alone until");
        for (int turn = 0; turn < 3; turn++) {
            assertThat(mover.turn("t3", List.of(move)).held()).singleElement().asString().contains("left alone until");
        }
        assertThat(mover(PATIENCE, MOVE).turn("t4", List.of(move)).held()).as("after a restart, too").singleElement().asString()
                .contains("left alone until");
        assertThat(directory.resolve("tries")).hasContent("x");
        assertThat(actions()).containsExactly("MIGRATE", "NOT_MIGRATED");

        mover.resume();
        assertThat(mover.leftAlone()).isEmpty();
        mover.turn("t5", List.of(move));
        ended(mover);
        assertThat(directory.resolve("tries")).hasContent("x\nx");
    }

    @Test
    void thatACommandEndsWellIsNotBelieved() throws Exception {
        Migration move = move("web", "a", "b");
        GuestMover mover = mover(PATIENCE, "true");
        mover.turn("t1", List.of(move));
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (mover.turn("t2", List.of()).held().stream().noneMatch(why -> why.equals("web from a to b: it runs on a as yet"))) {
            assertThat(System.nanoTime()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(mover.turn("t3", List.of()).held()).singleElement().asString().contains("its command ended well; it runs on a; it is left alone");
    }

    @Test
    void aCommandThatDoesNotEndIsKilledAtItsDeadline() throws Exception {
        Migration move = move("web", "a", "b");
        GuestMover mover = mover(Duration.ofMillis(300), "sleep 600");
        mover.turn("t1", List.of(move));
        assertThat(ended(mover).held()).singleElement().asString().contains("sh did not end within 300 ms and was killed");
    }

    @Test
    void whatAnEarlierAgentBeganIsLookedForAndNotBegunAgain() throws Exception {
        Migration web = move("web", "a", "b");
        Migration db = move("db", "c", "d");
        for (Migration move : List.of(web, db)) {
            new OpenMoves(directory.resolve("moves.json")).note(new OpenMoves.OpenMove(move, ""));
        }
        Files.move(directory.resolve("a-web"), directory.resolve("b-web"));

        GuestMover.Report report = mover(PATIENCE, MOVE).turn("t1", List.of(db));

        assertThat(report.done()).containsExactly("web from a to b");
        assertThat(report.held()).hasSize(2).allMatch(why -> why.contains("an earlier agent began it; it runs on c; it is left alone"));
        assertThat(directory.resolve("ran")).doesNotExist();
    }

    @Test
    void withoutADiskNothingIsMoved() throws Exception {
        GuestMover mover = mover(PATIENCE, MOVE);
        Files.createDirectory(directory.resolve("moves.json.new"));
        assertThat(mover.turn("t1", List.of(move("web", "a", "b"))).held()).singleElement().asString().contains("nothing is moved: cannot write");
        assertThat(directory.resolve("ran")).doesNotExist();
    }

    @Test
    void namesThatAreNoWordsMoveNobody() throws Exception {
        GuestMover mover = mover(PATIENCE, MOVE);
        for (String name : List.of("-rf", "a\nb")) {
            Migration bad = new Migration(name, "7", name, "a", "b", new Rationale("", Map.of()));
            assertThat(mover.turn("t1", List.of(bad)).held()).singleElement().asString().contains("nothing is moved");
        }
        assertThat(new MoveCommand(List.of("x", "--to={to}", "{name}")).of(new Migration("u", "7", "{uuid}", "a", "b",
                new Rationale("", Map.of())))).as("what is filled in is not filled in again").containsExactly("x", "--to=b", "{uuid}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "x {name}", "x {to}", "{id} {to}", "x {uuid} {to} {}", "x {id} {to} {where}"})
    void aCommandWithoutWhatItNeedsIsRefused(String words) {
        assertThatThrownBy(() -> new MoveCommand(List.of(words.split(" ")))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expected ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{\"moves\":[{}]}", "{\"moves\":[{\"uuid\":1}]}"})
    void garbageInTheFileIsAnErrorThatSaysWhatToDo(String text) throws Exception {
        Files.writeString(directory.resolve("moves.json"), text);
        assertThatThrownBy(() -> mover(PATIENCE, MOVE)).isInstanceOf(IOException.class).hasMessageContaining("moves.json")
                .hasMessageContaining("see where they run, and remove it");
    }
}
