// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.control.state.ControllerState;
import org.junit.jupiter.api.Test;

class ControlJsonTest {
    private final ControlJson json = new ControlJson();

    @Test
    void aDecisionIsOneLineThatOtherProgramsCanRead() throws Exception {
        Tier tier = Tier.settled();
        String line = json.write(tier.until(Action.MITIGATE, 5, Tier::noisy));
        assertThat(line).doesNotContain("\n");
        JsonNode node = new ObjectMapper().readTree(line);
        assertThat(node.get("action").asText()).isEqualTo("MITIGATE");
        assertThat(node.get("scenario").asText()).isEqualTo("IC2-10");
        assertThat(node.get("desired").toString()).isEqualTo("{\"mxc\":300,\"kat\":6.23,\"php\":50,\"mitigation\":1}");
        assertThat(node.get("believed").asText()).isEqualTo("INTERFERENCE");
        assertThat(node.get("numbers").get("response_time").asDouble()).isEqualTo(0.45);
        JsonNode unjudged = json.tree(tier.feed(sample -> sample));
        assertThat(unjudged.get("tree").isNull()).isTrue();
    }

    @Test
    void theStateReadsBackEqual() {
        Tier tier = Tier.settled();
        tier.feed(25, Tier::noisy);
        tier.feed(3, sample -> Tier.noisy(sample).set(Metric.ACCEPT_QUEUE_WAIT, 1));
        assertThat(tier.state.refusal()).isNotNull();
        assertThat(tier.state.episode()).isNotNull();
        ControllerState back = json.readState("state.json", json.write(tier.state));
        assertThat(back).isEqualTo(tier.state);
        assertThat(back.medians()).isEqualTo(tier.state.medians());
        assertThat(back.enteredManual("by hand").manualReason()).contains("by hand");
    }

    @Test
    void aStateHasTheKnobsByTheirKeys() {
        assertThat(json.write(ControllerState.initial(Tier.BASE))).contains("\"configuration\":{\"max-request-workers\":650,"
                + "\"keep-alive-timeout\":5000,\"php-max-children\":50,\"mitigation\":0}");
    }

    @Test
    void refusesWhatIsNoState() {
        String good = json.write(ControllerState.initial(Tier.BASE));
        for (String text : new String[] {"", "{}", "null", "[]", "{\"state\":\"NI3\"}", good + "x", good.replace("\"T\"",
                "null"), good.replace("\"windows\":{}", "\"windows\":{\"CPI\":[\"NaN\"]}"),
            good.replace("\"usable\":0", "\"usable\":3000000000"), good.replace("\"usable\":0", "\"usable\":\"0\""),
            good.replace("\"usable\":0", "\"useful\":0"), good.replace("\"lastHour\":[]", "\"lastHour\":[null]"),
            good.replace("\"failures\":0", "\"failures\":null"), good.replace("\"manual\":null", "\"manual\":7"),
            good.replace("650", "0"), good.replace("\"configuration\":{", "\"configuration\":{},\"x\":{")}) {
            assertThatThrownBy(() -> json.readState("state.json", text)).as(text)
                    .isInstanceOf(FormatException.class).hasMessageStartingWith("state.json: state: ");
        }
    }
}
