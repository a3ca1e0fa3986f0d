// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.Line;

/** What stands in a journal, for tests of those who write it. */
public final class Written {

    private Written() {
    }

    /** The entries of a file, oldest first. */
    public static List<Entry> entries(Path file) throws IOException {
        return new JournalReader(Terms.shipped().knobs()).latest(file).stream().map(Line::entry).toList();
    }

    /** The situation that an entry's decision names. */
    public static String scenario(Entry entry) {
        return entry.decision().map(decision -> decision.path("scenario").asText()).orElse("");
    }
}
