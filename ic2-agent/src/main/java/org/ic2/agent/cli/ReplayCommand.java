// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ic2.agent.config.AgentConfig;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.Controller;
import org.ic2.knowledge.control.DecisionResult;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.host.BoundedLines;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ic2 replay}: recorded samples through detection and rules, offline. */
@Command(name = "replay", mixinStandardHelpOptions = true,
        description = {"Runs recorded samples through detection and rules and prints each decision.",
            "The same samples always give the same decisions, and those of the live run that recorded them."})
final class ReplayCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Parameters(paramLabel = "SAMPLES.csv", description = "Recorded by \"ic2 run --record\" or by training.")
    private Path samples;

    @Option(names = "--json", description = "Print each decision as a line of JSON.")
    private boolean json;

    @Option(names = "--mode", paramLabel = "MODE",
            description = "The mode of the recording: in act the samples show what was applied; otherwise each decision"
                    + " is taken as applied. Default: the mode in the file.")
    private String mode;

    @Option(names = "--state", paramLabel = "state.json",
            description = "Start with what a run had learned; default: knowing nothing.")
    private Path stateFile;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        AgentConfig loaded = config.load();
        Policy policy = loaded.policyFor(mode(loaded) == Mode.ACT);
        ControlJson text = new ControlJson(loaded.vocabulary());
        ControllerState state = stateFile == null ? ControllerState.initial(policy.baseline())
                : text.readState(stateFile.toString(), BoundedText.file(stateFile,
                        BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8)).restarted(policy.baseline());
        PrintWriter out = spec.commandLine().getOut();
        String managed = loaded.managed().name();
        try (BoundedLines lines = new BoundedLines(samples)) {
            String header = lines.next();
            if (header == null) {
                throw new IOException(samples + " is empty; expected a header line");
            }
            SamplesCsv.Reader reader = SamplesCsv.reader(samples.toString(), header,
                    SamplesCsv.own(loaded.vocabulary()));
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (line.isBlank()) {
                    continue;
                }
                Sample sample = reader.sample(line, lines.number());
                if (sample.member().equals(managed)) {
                    DecisionResult decided = Controller.decide(state, sample, policy);
                    state = decided.state();
                    out.println(json ? text.write(decided.decision()) : DisplayText.clean(text(decided.decision())));
                }
            }
        }
        out.flush();
        return 0;
    }

    private Mode mode(AgentConfig loaded) throws ConfigException {
        try {
            return mode == null ? loaded.mode() : Mode.parse(mode);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--mode: " + e.getMessage(), e);
        }
    }

    private static String text(Decision decision) {
        return decision.time() + " " + decision.id() + " " + decision.state() + " "
                + decision.believed().map(Enum::name).orElse("-") + " " + decision.action() + " "
                + (decision.applies() ? decision.desired().describe() + " " : "") + decision.scenario().id() + " "
                + decision.reason();
    }
}
