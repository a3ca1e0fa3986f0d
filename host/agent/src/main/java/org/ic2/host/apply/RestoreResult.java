// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.List;
import org.ic2.host.model.GuestKnob;

/**
 * What came of a restore.
 *
 * @param restored what was put back, in words
 * @param foreign  what somebody else has set meanwhile, and stays
 * @param problems what could not be put back; it is tried again
 * @param moved    what was put back
 */
public record RestoreResult(List<String> restored, List<String> foreign, List<String> problems, List<GuestKnob> moved) {
    public RestoreResult {
        restored = List.copyOf(restored);
        foreign = List.copyOf(foreign);
        problems = List.copyOf(problems);
        moved = List.copyOf(moved);
    }

    /** Where nothing was moved. */
    public RestoreResult(List<String> restored, List<String> foreign, List<String> problems) {
        this(restored, foreign, problems, List.of());
    }

    /** True if nothing that is ours to put back is away. */
    public boolean isAtBaseline() {
        return problems.isEmpty();
    }

    /** One sentence for people. */
    public String text() {
        String text = restored.isEmpty() ? "nothing was to be restored" : "restored " + String.join(", ", restored);
        return text + (foreign.isEmpty() ? "" : "; left as somebody else has set it: " + String.join(", ", foreign))
                + (problems.isEmpty() ? "" : "; could not be restored: " + String.join("; ", problems));
    }
}
