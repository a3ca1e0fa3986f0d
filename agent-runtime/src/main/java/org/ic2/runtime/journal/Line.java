// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;

/**
 * One line of a journal.
 *
 * @param json     all of it, with whatever this version does not understand
 * @param entry    what it means
 * @param baseline the baseline of its time, where the line says it: at a start, and in what a shortened journal begins
 *                 with
 */
public record Line(ObjectNode json, Entry entry, Optional<Settings> baseline) {

    /** As it stands in the file, without the line's end. */
    @Override
    public String toString() {
        return Json.text(json);
    }
}
