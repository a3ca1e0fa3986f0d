// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** What virsh prints. */
class VirshFuzzTest {

    private interface Parser {
        void parse(String text) throws IOException;
    }

    /** Recordings have the command and its status in lines of their own. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("# "))
                .collect(Collectors.joining("\n"));
    }

    private static void tryOut(String text, Parser parser) {
        try {
            parser.parse(text);
        } catch (IOException e) {
            assertThat(e.getMessage().length()).as("quoted in short").isLessThan(2000);
        }
    }

    @FuzzTest
    void printed(byte[] bytes) {
        String text = text(bytes);
        tryOut(text, all -> assertThat(VirshText.list(all)).allMatch(row -> row.id() >= 0 && !row.printed().isBlank()));
        tryOut(text, all -> assertThat(VirshText.info(all)).matches(info -> info.vcpus() > 0 && info.maxKib() >= 0 && info.uuid().length() == 36));
        tryOut(text, all -> assertThat(VirshText.statistics(all).values()).allMatch(value -> value >= 0));
        tryOut(text, all -> assertThat(VirshText.schedule(all).keySet()).allMatch(name -> !name.isEmpty()));
    }
}
