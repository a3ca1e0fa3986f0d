// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding;
import org.ic2.knowledge.UserHarm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that is there while users are harmed replaces and removes nothing but itself. */
class OverloadFileTest {
    private static final Optional<UserHarm> HARM = Optional.of(new UserHarm("response time 6 s", new CauseFinding(Cause.SURGE,
            CauseFinding.Confidence.HIGH, List.of()), "level 3", Instant.EPOCH));

    @TempDir
    private Path directory;

    @Test
    void itComesAndGoes() throws IOException {
        Path file = directory.resolve("overload");
        OverloadFile overload = new OverloadFile(file);
        overload.show(HARM, 3);
        assertThat(Files.readString(file)).startsWith("{\"cause\":\"surge\",\"level\":3");
        overload.show(HARM, 4);
        assertThat(Files.readString(file)).contains("\"level\":4");
        overload.end();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aForeignFileIsLeftAlone() throws IOException {
        Path file = Files.writeString(directory.resolve("journal.jsonl"), "{\"time\":\"now\"}\n");
        OverloadFile overload = new OverloadFile(file);
        overload.show(Optional.empty(), 0);
        overload.show(HARM, 3);
        overload.end();
        assertThat(file).hasContent("{\"time\":\"now\"}\n");
        Path empty = Files.createDirectory(directory.resolve("empty"));
        new OverloadFile(empty).end();
        assertThat(empty).isDirectory();
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "mine");
        Files.createSymbolicLink(directory.resolve("overload.new"), target);
        OverloadFile overload = new OverloadFile(directory.resolve("overload"));
        overload.show(HARM, 3);
        assertThat(target).hasContent("mine");
        assertThat(directory.resolve("overload")).isRegularFile();
        overload.end();
        Files.createSymbolicLink(directory.resolve("overload"), target);
        overload.show(HARM, 3);
        overload.end();
        assertThat(target).hasContent("mine");
        assertThat(Files.isSymbolicLink(directory.resolve("overload"))).isTrue();
    }
}
