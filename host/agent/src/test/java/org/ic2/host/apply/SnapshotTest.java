// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.host.config.BackendChoice;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.executor.ChangeRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotTest {

    @TempDir
    private Path directory;

    private static SavedKnob cap(String id, int original) {
        return new SavedKnob(new GuestKnob(KnobKind.CAP, new Target.OfGuest(id, "uuid", "a \"name\"")), original, "33333 of 50000",
                List.of(original, 500), false);
    }

    @Test
    void whatIsNotedIsThereAtTheNextStart() throws Exception {
        Path file = directory.resolve("new/snapshot.json");
        SavedKnob pool = new SavedKnob(new GuestKnob(KnobKind.TSLICE, new Target.OfPool("Pool-0")), 30, "30", List.of(30, 5), true);
        SavedKnob vcpu = new SavedKnob(new GuestKnob(KnobKind.AFFINITY, new Target.OfVcpu(new Target.OfGuest("7", "uuid", "n"), 3)), -4, "0-1",
                List.of(-4, 2), false);
        new Snapshot(file, "boot").note(List.of(cap("7", 666), pool, vcpu));

        assertThat(new Snapshot(file, "boot").all()).containsExactly(cap("7", 666), pool, vcpu);
        assertThat(new Snapshot(file, "boot").of(cap("8", 0).knob())).as("another guest of that uuid").isEmpty();
        assertThat(new Snapshot(file, "another boot").all()).isEmpty();
        assertThat(directory.resolve("new/snapshot.json.new")).doesNotExist();
    }

    @Test
    void whatCannotBeWrittenIsNotNoted() throws Exception {
        Path file = directory.resolve("snapshot.json");
        Snapshot snapshot = new Snapshot(file, "boot");
        snapshot.note(List.of(cap("7", 666)));
        Files.createDirectory(directory.resolve("snapshot.json.new"));

        assertThatThrownBy(() -> snapshot.note(List.of(cap("7", 1)))).isInstanceOf(IOException.class)
                .hasMessageContaining("cannot write");
        assertThat(snapshot.all()).containsExactly(cap("7", 666));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{\"boot\":\"boot\"}", "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"cap\"}]}",
        "{\"boot\":\"boot\",\"backend\":{\"type\":\"vmware\"},\"knobs\":[]}", "{\"boot\":\"boot\",\"backend\":{\"type\":\"cgroup\"},\"knobs\":[]}",
        "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"tslice\",\"id\":\"1\",\"uuid\":\"u\",\"name\":\"n\",\"original\":1,\"exact\":\"1\"}]}",
        "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"affinity\",\"id\":\"1\",\"uuid\":\"u\",\"name\":\"n\",\"original\":1,\"exact\":\"1\"}]}",
        "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"cap\",\"id\":\"1\",\"uuid\":\"u\",\"name\":\"n\",\"original\":1.5,\"exact\":\"1\"}]}"})
    void garbageIsAnErrorThatSaysWhatToDo(String text) throws Exception {
        Path file = Files.writeString(directory.resolve("snapshot.json"), text);

        assertThatThrownBy(() -> new Snapshot(file, "boot")).isInstanceOf(IOException.class)
                .hasMessageContaining("put the knobs right by hand and remove it");
    }

    @Test
    void theMarkStandsWhileSomethingIsNoted() throws Exception {
        Path journal = directory.resolve("journal.jsonl");
        RestoreMarker mark = new RestoreMarker(Optional.of(directory.resolve("run")), Path.of("/etc/ic2/host.yaml"));
        Snapshot snapshot = new Snapshot(directory.resolve("snapshot.json"), "boot",
                Optional.of(new Snapshot.Way(new BackendChoice.Xen(), journal, Optional.of(mark))));
        assertThat(mark.journal()).isEmpty();
        snapshot.note(List.of(cap("7", 666)));
        assertThat(directory.resolve("run/%2Fetc%2Fic2%2Fhost.yaml")).exists();
        assertThat(new RestoreMarker(Optional.of(directory.resolve("run")), Path.of("/etc/ic2/../ic2/host.yaml")).journal()).contains(journal);
        assertThat(new RestoreMarker(Optional.of(directory.resolve("run")), Path.of("/etc/other.yaml")).journal()).isEmpty();
        assertThat(new Snapshot(snapshot.file(), "boot").through()).contains(new BackendChoice.Xen());
        mark.remove(directory.resolve("another.jsonl"));
        assertThat(mark.journal()).as("another's").contains(journal);
        snapshot.forget(List.of(cap("7", 0).knob()));
        assertThat(mark.journal()).isEmpty();
        snapshot.note(List.of(cap("7", 666)));
        assertThat(mark.journal()).as("again").contains(journal);
    }

    @Test
    void whereNoMarkCanBeWrittenTheSnapshotIsAllTheSame() throws Exception {
        Path none = Files.writeString(directory.resolve("run"), "a file");
        for (Optional<Path> where : List.of(Optional.of(none), Optional.<Path>empty())) {
            Snapshot snapshot = new Snapshot(directory.resolve("snapshot.json"), "boot", Optional.of(new Snapshot.Way(new BackendChoice.Xen(),
                    directory.resolve("journal.jsonl"), Optional.of(new RestoreMarker(where, Path.of("/etc/ic2/host.yaml"))))));
            snapshot.note(List.of(cap("7", 666)));
            assertThat(new Snapshot(snapshot.file(), "boot").all()).containsExactly(cap("7", 666));
            snapshot.forget(List.of(cap("7", 666).knob()));
        }
    }

    private static Stream<BackendChoice> hosts() {
        return Stream.of(new BackendChoice.Xen(), new BackendChoice.Cgroup("machine.slice", Optional.empty()),
                new BackendChoice.Cgroup("machine.slice", Optional.of("/run/qemu")),
                new BackendChoice.Added("fake", "file", Path.of("/s")),
                new BackendChoice.Replay(Path.of("/r.jsonl")));
    }

    @ParameterizedTest
    @MethodSource("hosts")
    void whatWasMovedThroughOneHostIsNotForgottenOnAnother(BackendChoice moved) throws Exception {
        Path file = directory.resolve("snapshot.json");
        Path journal = directory.resolve("journal.jsonl");
        new Snapshot(file, "boot", Optional.of(new Snapshot.Way(moved, journal, Optional.empty()))).note(List.of(cap("7", 666)));
        Snapshot other = new Snapshot(file, "boot", Optional.of(new Snapshot.Way(new BackendChoice.Cgroup("other", Optional.empty()), journal,
                Optional.empty())));

        assertThat(other.through()).contains(moved);
        assertThat(other.elsewhere().orElseThrow()).contains(moved.type());
        assertThatThrownBy(() -> other.forget(List.of(cap("7", 666).knob()))).isInstanceOf(IOException.class)
                .hasMessageContaining("it was moved through ");
        try (FakeBackend host = new FakeBackend()) {
            assertThat(new Restorer(host, other, null).restore("test", ChangeRequest.Origin.OPERATOR, "").problems())
                    .containsExactly(other.elsewhere().orElseThrow());
        }
        assertThat(other.all()).containsExactly(cap("7", 666));
    }
}
