// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import org.ic2.knowledge.Terms;
import org.junit.jupiter.api.Test;

/** What {@code ic2 status} prints. */
class StatusTextTest {

    @Test
    void theLastDecisionsEvidenceIsShown() throws Exception {
        String text = StatusText.of(new JsonMapper().readTree("""
                {"application": "shop", "mode": "act", "state": "NI2", "sample": {"throughput": 50},
                 "medians": {"count": 100},
                 "last_decision": {"evidence": ["learning what is normal: steal, 3 of 20 samples"]}}"""), Terms.shipped().knobs());
        assertThat(StatusText.of(new JsonMapper().readTree("""
                {"sample": {}, "medians": {}, "reliefs": [{"rung": 3, "sets": "mitigation 3", "relief": 0.5, "learned_in": 0},
                 {"rung": 4, "sets": "mitigation 4", "relief": 0.3141, "learned_in": 2}]}"""), Terms.shipped().knobs())
                .lines()).contains("rung         3, mitigation 3: an operation costs 0.5 of the baseline's CPU, assumed",
                "rung         4, mitigation 4: an operation costs 0.314 of the baseline's CPU, learned in 2 stays");
        assertThat(text.lines()).contains("evidence     learning what is normal: steal, 3 of 20 samples");
    }
}
