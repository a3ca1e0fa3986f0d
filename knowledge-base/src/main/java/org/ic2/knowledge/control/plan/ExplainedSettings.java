// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.List;
import java.util.stream.Stream;
import org.ic2.runtime.knob.Settings;

/**
 * Values and what led to them.
 *
 * @param values   of every knob
 * @param evidence one line for each reason
 */
record ExplainedSettings(Settings values, List<String> evidence) {
    ExplainedSettings {
        evidence = List.copyOf(evidence);
    }

    /** Other values on the same grounds. */
    ExplainedSettings to(Settings other) {
        return new ExplainedSettings(other, evidence);
    }

    /** Other values, and one more reason. */
    ExplainedSettings to(Settings other, String reason) {
        return new ExplainedSettings(other, Stream.concat(evidence.stream(), Stream.of(reason)).toList());
    }
}
