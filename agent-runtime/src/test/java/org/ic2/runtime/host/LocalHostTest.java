// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command ends at its deadline, or when nobody waits for it any more, with all that it has started. */
class LocalHostTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LocalHost host = new LocalHost();

    @TempDir
    private Path directory;

    /** A command that starts another one, which works on in the background. */
    private List<String> command() {
        return List.of("sh", "-c", "(: >\"$1/begun\"; sleep 60; :) & wait", "sh", directory.toString());
    }

    /** A moment is for what was killed to be gone. */
    private void nothingIsLeft() throws InterruptedException {
        for (int turn = 0; turn < 20 && left() > 0; turn++) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(left()).isZero();
    }

    private long left() {
        return ProcessHandle.allProcesses().filter(process -> process.info().arguments()
                .filter(words -> String.join(" ", words).endsWith("sh " + directory)).isPresent()).count();
    }

    @Test
    void atTheDeadlineNothingIsLeft() throws Exception {
        assertThatThrownBy(() -> host.run(command(), Duration.ofMillis(300))).isInstanceOf(IOException.class)
                .isNotInstanceOf(NotDoneException.class).hasMessageContaining("sh did not end within 300 ms and was killed");
        nothingIsLeft();
    }

    @Test
    void whenInterruptedNothingIsLeft() throws Exception {
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                host.run(command(), PATIENCE);
                outcome.complete(null);
            } catch (IOException | InterruptedException e) {
                outcome.complete(e);
            }
        });
        caller.start();
        while (Files.notExists(directory.resolve("begun"))) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(left()).isPositive();
        caller.interrupt();
        assertThat(outcome.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        nothingIsLeft();
    }

    @Test
    void aCommandThatCannotStartHasNoEffectAndOneEndedByASignalMayHave() throws Exception {
        assertThatThrownBy(() -> host.run(List.of("/none/such"), PATIENCE)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("cannot run /none/such");
        CommandResult refused = host.run(List.of("sh", "-c", "echo no; exit 3"), PATIENCE);
        assertThat(NotDoneException.of("x failed", refused)).isInstanceOf(NotDoneException.class)
                .hasMessage("x failed with status 3: no");
        CommandResult killed = host.run(List.of("sh", "-c", "kill -s KILL $$"), PATIENCE);
        assertThat(NotDoneException.of("x failed", killed)).isNotInstanceOf(NotDoneException.class)
                .hasMessageContaining("status 137");
    }

    @Test
    void errorOutputIsApartAndTheLocaleIsC() throws Exception {
        CommandResult result = host.run(List.of("sh", "-c", "echo out; echo err >&2; echo $LC_ALL"), PATIENCE);

        assertThat(result.output()).isEqualTo("out\nC\n");
        assertThat(result.errors()).isEqualTo("err\n");
        assertThat(result.all()).isEqualTo("out\nC\nerr\n");
        assertThat(result.lastLine()).isEqualTo("err");
        assertThat(result.truncated()).isFalse();
    }

    @Test
    void aCharacterThatComesInTwoPiecesIsWhole() throws Exception {
        assertThat(host.run(List.of("sh", "-c", "printf 'gr\\303'; sleep 0.3; printf '\\274n'"), PATIENCE).output()).isEqualTo("gr\u00fcn");
    }

    @Test
    void aChildThatIsLeftBehindIsNotWaitedFor() throws Exception {
        String said = host.run(List.of("sh", "-c", "sleep 60 & echo $!"), PATIENCE).output();
        ProcessHandle child = ProcessHandle.of(Long.parseLong(said.strip())).orElseThrow();

        assertThat(child.isAlive()).isTrue();
        child.destroyForcibly();
    }

    /** As if our reader got no CPU: none of the group is left, and the output comes late. */
    @Test
    void outputThatIsReadLateIsNotLost() throws Exception {
        assertThat(host.run(List.of("sh", "-c", "setsid sh -c 'sleep 3; echo late' & echo first; sleep 1"), PATIENCE).output()).isEqualTo("first\nlate\n");
    }

    @Test
    void excessOutputIsDroppedAndReported() throws Exception {
        CommandResult result = host.run(List.of("head", "-c", "2000000", "/dev/zero"), PATIENCE);

        assertThat(result.truncated()).isTrue();
        assertThat(result.output().length()).isBetween(CommandResult.OUTPUT_LIMIT, CommandResult.OUTPUT_LIMIT + 4096);
    }

    @Test
    void aFileIsWrittenInItsPlace() throws Exception {
        Path file = Files.writeString(directory.resolve("cpu.shares"), "1024\n");
        long inode = host.inode(file.toString());

        host.write(file.toString(), "2");

        assertThat(file).hasContent("2");
        assertThat(host.inode(file.toString())).isEqualTo(inode);
        assertThatThrownBy(() -> host.write(directory.resolve("none").toString(), "2")).isInstanceOf(IOException.class)
                .hasMessageContaining("none: no such file or directory");
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void aDirectoryIsListed() throws Exception {
        Files.createDirectory(directory.resolve("b"));
        Files.writeString(directory.resolve("a"), "");

        assertThat(host.list(directory.toString())).containsExactly("a", "b/");
        assertThatThrownBy(() -> host.list(directory.resolve("none").toString())).isInstanceOf(IOException.class)
                .hasMessageContaining("none: no such file or directory");
        assertThatThrownBy(() -> host.inode(directory.resolve("none").toString())).isInstanceOf(IOException.class)
                .hasMessageContaining("none: no such file or directory");
    }

    @Test
    void aDirectoryThatReplacedTheOpenedOneIsNotWritten() throws Exception {
        Path group = Files.createDirectory(directory.resolve("group"));
        Path file = Files.writeString(group.resolve("knob"), "before, and long");

        host.write(group.toString(), "knob", "1", () -> { });
        assertThat(file).hasContent("1");

        Path moved = directory.resolve("moved");
        host.write(group.toString(), "knob", "2", () -> {
            Files.move(group, moved);
            Files.createDirectory(group);
            Files.writeString(file, "another's");
        });
        assertThat(file).hasContent("another's");
        assertThat(moved.resolve("knob")).hasContent("2");

        assertThatThrownBy(() -> host.write(group.toString(), "knob", "3", () -> {
            Files.delete(file);
            Files.delete(group);
            Files.createDirectory(group);
            Files.writeString(file, "made again");
        })).isInstanceOf(IOException.class).hasMessageContaining("knob: no such file or directory");
        assertThat(file).hasContent("made again");
        assertThatThrownBy(() -> host.write(group.toString(), "knob", "4", () -> {
            throw new IOException("another");
        })).isInstanceOf(IOException.class).hasMessageContaining("another");
        assertThat(file).hasContent("made again");
    }
}
