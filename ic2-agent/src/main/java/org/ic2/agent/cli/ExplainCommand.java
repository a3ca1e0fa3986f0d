// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.Detector;
import org.ic2.knowledge.control.Ladder;
import org.ic2.knowledge.control.Policy;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2 explain}: what the agent goes by. */
@Command(name = "explain", mixinStandardHelpOptions = true,
        description = "Prints the decision tree, the rules, the bounds and the situations that decisions name.")
final class ExplainCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Policy policy = config.load().policy();
        PrintWriter out = spec.commandLine().getOut();
        out.println("Detector");
        if (policy.detector() instanceof Detector.Tree tree) {
            out.println(tree.model().tree().toText().strip().indent(2).stripTrailing());
            tree.model().provenance().forEach((key, value) -> out.println("  " + key + ": " + value));
        } else if (policy.detector() instanceof Detector.MissRate rate) {
            out.println("  interference begins when cmr > " + Rounded.four(rate.cmr()) + " and response_time > "
                    + Rounded.four(rate.responseTime()) + " s, and ends when cmr is not above");
        }
        out.println();
        out.println("Rules");
        out.println(policy.knowledge().toText().strip().indent(2).stripTrailing());
        out.println();
        out.println("Bounds");
        for (Knob lever : policy.baseline().managed().knobs()) {
            out.printf("  %-20s baseline %s, from %s to %s%s%n", lever.key(),
                    lever.format(policy.baseline().get(lever)), lever.format(policy.bounds().lowest().get(lever)),
                    lever.format(policy.bounds().highest().get(lever)),
                    policy.levers().contains(lever) ? "" : ", not moved");
        }
        out.println("  target response time " + Rounded.four(policy.targetResponseTime())
                + (policy.felt() == Metric.RESPONSE_TIME ? " s" : " s at the 95th percentile") + ", cool-down "
                + policy.coolDown().toMillis() / 1000.0 + " s, at most " + policy.actionsPerHour() + " actions an hour");
        out.println();
        if (!policy.ladder().equals(Ladder.ofMitigation(policy.baseline(), policy.bounds(), policy.levers()))) {
            out.println("Ladder");
            out.println(policy.ladder().highest() == 0 ? "  none" : policy.ladder().toText().strip().indent(2)
                    .stripTrailing());
            out.println();
        }
        out.println("Situations");
        for (Scenario scenario : Scenario.values()) {
            out.println("  " + scenario.id() + " " + scenario.description());
        }
        out.flush();
        return 0;
    }
}
