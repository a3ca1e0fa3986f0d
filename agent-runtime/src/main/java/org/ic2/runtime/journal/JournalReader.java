// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.ic2.runtime.knob.Knob;

/**
 * Reads journals, those of earlier versions too, whether an agent writes them or not. Lines that are no JSON object,
 * such as one cut short by a crash, are left out.
 */
public final class JournalReader {

    private final EntryJson json;

    /**
     * @param knobs those whose values are read
     */
    public JournalReader(Set<Knob> knobs) {
        json = new EntryJson(knobs);
    }

    /** What one line says, without its end; empty when it is no whole one. */
    public Optional<Line> line(String text) {
        return json.line(text);
    }

    /** The entries of a journal's file, of a long one the latest; oldest first. */
    public List<Line> latest(Path file) throws IOException {
        return JournalFile.tail(file).lines().flatMap(text -> line(text).stream()).toList();
    }

    /** All entries of a journal's file, one after the other, however many there are. */
    public void all(Path file, Consumer<Line> use) throws IOException {
        JournalFile.read(file, text -> line(text).ifPresent(use));
    }
}
