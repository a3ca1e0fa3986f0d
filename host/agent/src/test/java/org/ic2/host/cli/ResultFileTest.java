// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a user's file, also where the new one cannot be written. */
class ResultFileTest {

    @TempDir
    private Path directory;

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(one -> one.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aFileIsMadeOrReplacedAndKeepsItsPermissions() throws Exception {
        Path file = directory.resolve("lib.json");
        ResultFile.write(file, "one");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        ResultFile.write(file, "two");
        assertThat(file).content().isEqualTo("two");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-r-----");
        assertThat(names()).containsExactly("lib.json");
    }

    @Test
    void theOldFileIsWholeUntilTheNewOneIs() throws Exception {
        Path file = Files.writeString(directory.resolve("lib.json"), "one");
        Path reader = Files.createLink(directory.resolve("as it was"), file);
        ResultFile.write(file, "two");
        assertThat(reader).as("nothing is written into it").content().isEqualTo("one");
        assertThat(file).content().isEqualTo("two");
    }

    @Test
    void whatCannotBeWrittenLeavesTheOldFileAndNoOther() throws Exception {
        Path file = Files.writeString(directory.resolve("lib.json"), "one");
        Path inTheWay = Files.createDirectories(directory.resolve("lib.json.ic2-new/full"));
        assertThatThrownBy(() -> ResultFile.write(file, "two")).isInstanceOf(IOException.class);
        assertThat(file).content().isEqualTo("one");
        assertThat(inTheWay).exists();
    }

    @Test
    void whoIsToldToEndKeepsWhatWasFound() throws Exception {
        Path file = Files.writeString(directory.resolve("lib.json"), "one");
        Thread.currentThread().interrupt();
        ResultFile.write(file, "two");
        assertThat(Thread.interrupted()).as("and ends").isTrue();
        assertThat(file).content().isEqualTo("two");
    }

    @Test
    void aLinkIsFollowedAndADeviceIsWrittenInto() throws Exception {
        Path file = Files.writeString(directory.resolve("lib.json"), "one");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        ResultFile.write(link, "two");
        assertThat(link).isSymbolicLink();
        assertThat(file).content().isEqualTo("two");
        ResultFile.write(Path.of("/dev/null"), "three");
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }
}
