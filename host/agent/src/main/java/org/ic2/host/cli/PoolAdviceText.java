// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.ic2.host.control.PoolAdvice;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.json.Json;

/** Which scheduler each pool should have, for people and for programs. */
final class PoolAdviceText {
    private PoolAdviceText() {
    }

    /** A paragraph for each pool. */
    static String text(List<PoolAdvice> pools) {
        StringBuilder text = new StringBuilder();
        for (PoolAdvice advice : pools) {
            text.append("pool ").append(DisplayText.clean(advice.pool().name())).append(", which runs ")
                    .append(DisplayText.clean(advice.pool().scheduler())).append(": scheduler: ").append(advice.verdict().key()).append('\n');
            advice.evidence().forEach(why -> text.append("  ").append(DisplayText.clean(why)).append('\n'));
            advice.tells().forEach(what -> text.append("  would tell: ").append(DisplayText.clean(what)).append('\n'));
        }
        return text.toString();
    }

    /** The same as an array. */
    static ArrayNode json(List<PoolAdvice> pools) {
        ArrayNode all = Json.object().putArray("pools");
        for (PoolAdvice advice : pools) {
            ObjectNode one = all.addObject().put("pool", advice.pool().name()).put("runs", advice.pool().scheduler())
                    .put("scheduler", advice.verdict().key());
            advice.evidence().forEach(one.putArray("evidence")::add);
            advice.tells().forEach(one.putArray("would_tell")::add);
        }
        return all;
    }
}
