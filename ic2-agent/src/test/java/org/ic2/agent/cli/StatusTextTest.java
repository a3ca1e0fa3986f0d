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
        assertThat(text.lines()).contains("evidence     learning what is normal: steal, 3 of 20 samples");
    }
}
