// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a stream is told when little happens; what a running agent tells is in StreamTest. */
class EventFeedTest {

    private final AtomicReference<AgentConfig> config = new AtomicReference<>();
    private Journal journal;
    private EventFeed feed;
    private long nanos = TimeUnit.HOURS.toNanos(1);

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        config.set(MetricsTest.baseline(650));
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
        feed = new EventFeed(new AgentStatus(() -> nanos), journal, config::get, () -> nanos);
        feed.skip();
    }

    @AfterEach
    void close() throws IOException {
        journal.close();
    }

    private List<String> taken() {
        return feed.take().stream().map(event -> new String(event, StandardCharsets.UTF_8)).toList();
    }

    private void write(String reason) throws IOException {
        journal.append(new Entry.Manual(Instant.now(), reason, Optional.empty(), ""));
    }

    @Test
    void aStatusIsSentEveryFewSeconds() {
        assertThat(taken()).isEmpty();
        nanos += TimeUnit.SECONDS.toNanos(10);      // the streams ask every 5 s
        assertThat(taken()).singleElement().asString().startsWith("event: status\ndata: {\"application\":\"shop\"").endsWith("}\n\n");
        assertThat(taken()).isEmpty();
    }

    @Test
    void anyEntryIsSentOnceOnOneLine() throws Exception {
        write("a\n\ndata: \"b\"\r\nevent: status\u2028");
        assertThat(taken()).singleElement().asString().startsWith("event: entry\ndata: {").endsWith("}\n\n").hasLineCount(3);
        assertThat(taken()).isEmpty();
    }

    @Test
    void sentEntriesAreNotRepeatedAndUnheardOnesAreSkipped() throws Exception {
        write("first");
        feed.skip();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        feed.backlog(Instant.EPOCH).writeTo(out);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("event: status\n").containsOnlyOnce("\"first\"");
        assertThat(taken()).isEmpty();
        write("second");
        out.reset();
        feed.backlog(Instant.EPOCH).writeTo(out);
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"first\"").as("it comes with the next news").doesNotContain("\"second\"");
        assertThat(taken()).hasSize(1);
    }
}
