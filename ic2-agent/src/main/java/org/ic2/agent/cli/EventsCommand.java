// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.Optional;
import java.util.StringJoiner;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.TerminalSession;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.cli.EventsVerb;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2 events}: the journal for people; works without a running agent. */
@Command(name = "events", mixinStandardHelpOptions = true,
        description = {"Shows the journal: what was decided and done, why, and the numbers of the formula.",
            "On a terminal each line is cut to its width, with an ellipsis; a pipe or a file gets whole lines."})
final class EventsCommand extends EventsVerb {

    @Mixin
    private ConfigOption config;

    @Option(names = "--wide", description = "Print whole lines on a terminal, too.")
    private boolean wide;

    private final int columns = TerminalSession.isTerminal(1) ? TerminalSession.sizeNow().columns() : Integer.MAX_VALUE;
    private final String ellipsis = Ink.of(System.getenv()).ellipsis();

    @Override
    protected Source source() throws ConfigException {
        AgentConfig loaded = config.load();
        return new Source(loaded.journal(), loaded.vocabulary().knobs());
    }

    @Override
    protected String fitted(String line) {
        return wide ? line : DisplayText.cut(line, columns, ellipsis);
    }

    /** What was to be, or what was found. */
    @Override
    protected String values(Entry entry) {
        Optional<Settings> values = entry instanceof Entry.Intent intent ? intent.desired()
                : entry instanceof Entry.Refused refused ? refused.desired() : entry.running();
        return values.map(Settings::describe).orElse("");
    }

    /** {@code IC2-11} and the like; that of a refusal by the budget, too, which the decision could not foresee. */
    @Override
    protected String situation(Entry entry) {
        return entry instanceof Entry.Refused && entry.problem().startsWith(BudgetUse.HELD_BACK) ? Scenario.BUDGET_SPENT.id()
                : entry.decision().map(decision -> decision.path("scenario").asText()).orElse("");
    }

    /** The numbers of Algorithm 1 and what they were compared with. */
    @Override
    protected String numbers(Entry entry) {
        StringJoiner text = new StringJoiner(", ");
        entry.decision().map(decision -> decision.path("numbers")).ifPresent(numbers -> numbers.properties().forEach(number -> {
            String name = number.getKey();
            if (name.startsWith("algorithm.") || name.equals("load_per_operation") || name.equals("response_time")
                    || name.equals("throughput") || name.equals("median.load_per_operation")
                    || name.equals("median.response_time")) {
                text.add(name + " " + Rounded.four(number.getValue().asDouble()));
            }
        }));
        return text.toString();
    }
}
