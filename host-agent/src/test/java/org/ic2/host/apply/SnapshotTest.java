// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotTest {

    @TempDir
    private Path directory;

    private static Saved cap(String id, int original) {
        return new Saved(new GuestKnob(KnobKind.CAP, new Target.OfGuest(id, "uuid", "a \"name\"")), original, "33333 of 50000",
                List.of(original, 500), false);
    }

    @Test
    void whatIsNotedIsThereAtTheNextStart() throws Exception {
        Path file = directory.resolve("new/snapshot.json");
        Saved pool = new Saved(new GuestKnob(KnobKind.TSLICE, new Target.OfPool("Pool-0")), 30, "30", List.of(30, 5), true);
        Saved vcpu = new Saved(new GuestKnob(KnobKind.AFFINITY, new Target.OfVcpu(new Target.OfGuest("7", "uuid", "n"), 3)), -4, "0-1",
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
        "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"tslice\",\"id\":\"1\",\"uuid\":\"u\",\"name\":\"n\",\"original\":1,\"exact\":\"1\"}]}",
        "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"affinity\",\"id\":\"1\",\"uuid\":\"u\",\"name\":\"n\",\"original\":1,\"exact\":\"1\"}]}",
        "{\"boot\":\"boot\",\"knobs\":[{\"kind\":\"cap\",\"id\":\"1\",\"uuid\":\"u\",\"name\":\"n\",\"original\":1.5,\"exact\":\"1\"}]}"})
    void garbageIsAnErrorThatSaysWhatToDo(String text) throws Exception {
        Path file = Files.writeString(directory.resolve("snapshot.json"), text);

        assertThatThrownBy(() -> new Snapshot(file, "boot")).isInstanceOf(IOException.class)
                .hasMessageContaining("put the knobs right by hand and remove it");
    }
}
