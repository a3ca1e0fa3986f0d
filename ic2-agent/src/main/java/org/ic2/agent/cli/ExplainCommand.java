// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.TenantBrain;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.loop.StateStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2 explain}: what the agent goes by. */
@Command(name = "explain", mixinStandardHelpOptions = true,
        description = "Prints the decision tree, the rules, the bounds, what levels leave of an operation's CPU, and the situations"
                + " that decisions name.")
final class ExplainCommand implements Callable<Integer> {

    private static final int LEVELS_SHOWN = 64;

    @Mixin
    private ConfigOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        StringWriter text = new StringWriter();
        explain(config.load(), new PrintWriter(text));
        PrintWriter out = spec.commandLine().getOut();
        text.toString().lines().map(DisplayText::clean).forEach(out::println);
        out.flush();
        return 0;
    }

    private static void explain(AgentConfig loaded, PrintWriter out) {
        Policy policy = loaded.policy();
        detector(out, policy);
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
        out.println("Causes of harm");
        out.println("  acts on " + (policy.acts().isEmpty() ? "none" : policy.acts().stream().map(Cause::key)
                .collect(Collectors.joining(", "))) + " (act); of the others it says what helps");
        out.println();
        out.println("Restore");
        RestoreText.lines(policy).forEach(line -> out.println("  " + line));
        out.println();
        share(out, policy);
        reliefs(out, loaded);
        out.println("Situations");
        for (Scenario scenario : Scenario.values()) {
            out.println("  " + scenario.id() + " " + scenario.description());
        }
        out.flush();
    }

    private static void share(PrintWriter out, Policy policy) {
        if (policy.sharing() != null) {
            Knob share = policy.sharing().knob();
            out.println("Share of the cluster's requests");
            out.println("  computed: (1 - steal of the demand) / (1 - its median) x (median CPU of an operation) / (CPU of an operation),");
            out.println("  once interference is confirmed, before the ladder; from " + share.format(policy.bounds().lowest().get(share))
                    + " to " + share.format(policy.baseline().get(share)) + " %");
            out.println("  where the balancer tells the others' shares, no less than leaves them " + Rounded.of(policy.sharing().headroom())
                    + " times their usual requests");
            out.println();
        }
    }

    private static void detector(PrintWriter out, Policy policy) {
        out.println("Detector");
        if (policy.detector() instanceof Detector.Tree tree) {
            out.println(tree.model().tree().toText().strip().indent(2).stripTrailing());
            tree.model().provenance().forEach((key, value) -> out.println("  " + key + ": " + value));
        } else if (policy.detector() instanceof Detector.MissRate rate) {
            out.println("  interference begins when cmr > " + Rounded.four(rate.cmr()) + " and response_time > "
                    + Rounded.four(rate.responseTime()) + " s, and ends when cmr is not above");
        }
    }

    /** What the length of a step is computed from: as an agent with this configuration has learned it, if one has. */
    private static void reliefs(PrintWriter out, AgentConfig loaded) {
        Policy policy = loaded.policy();
        TenantBrain brain = new TenantBrain(policy, loaded.vocabulary());
        Path state = StateStore.beside(loaded.journal());
        String problem = "";
        try {
            if (Files.exists(state)) {
                brain.read(state.toString(), BoundedText.file(state, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            problem = "  what was learned cannot be read: " + e.getMessage() + System.lineSeparator();
        }
        StringBuilder lines = new StringBuilder(problem);
        for (int level = 1; level <= Math.min(policy.ladder().highest(), LEVELS_SHOWN); level++) {
            LevelEffects.Effect relief = brain.state().reliefs().at(level, policy);
            if (!Double.isNaN(relief.share())) {
                lines.append(String.format("  level %d, %s: %s, %s%n", level, policy.ladder().level(level).describe(),
                        Rounded.of(relief.share()), relief.describe()));
            }
        }
        if (!lines.isEmpty()) {
            out.println("CPU of an operation, as a share of the baseline's beside the same neighbour");
            out.println(lines);
        }
    }
}
