// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.weka;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.training.cli.HarmOptions;
import org.ic2.training.cli.TestbedOptions;
import org.ic2.training.collect.Plans;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Attributes;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.Setting;
import org.ic2.training.run.Testbed;
import org.ic2.training.study.Pipeline;
import org.ic2.training.study.Scale;
import org.ic2.training.study.Study;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ic2-train pipeline}: the whole training in one command. */
@Command(name = "pipeline", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Records and trains the paper's three phases, records once more and judges the result.",
            "Writes classifier.json, report.html, figures.csv and every recording. Resumable."})
final class PipelineCommand implements Callable<Integer> {
    private static final Duration PAPER = Duration.ofSeconds(5);

    @Mixin
    private TestbedOptions common;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of everything")
    private Path out;

    @Option(names = "--scale", paramLabel = "S", defaultValue = "0.02",
            description = "1 takes 8.3 hours for each of the three phases (the paper: 10) and as long for the judgement;"
                    + " ${DEFAULT-VALUE} takes about 45 minutes")
    private double scale;

    @Option(names = "--attributes", paramLabel = "NAMES", defaultValue = Attributes.EXTENDED,
            description = "of the resulting tree, as in fit (default: ${DEFAULT-VALUE})")
    private String attributes;

    @Option(names = "--least-harm", paramLabel = "F", defaultValue = Harm.USUAL,
            description = {"neighbours beside which phase 1 needs less than F times the response time without interference are no",
                "interference, and left out (default: ${DEFAULT-VALUE}; the paper: 1)"})
    private double leastHarm;

    @Override
    public Integer call() throws Exception {
        Testbed testbed = common.testbed();
        Attributes.parse(attributes);
        Setting asked = common.setting();
        Scale factor = new Scale(scale, asked.interval(), asked.settling());
        Setting setting = new Setting(asked.baseline(), asked.lowest(), asked.highest(), asked.interval(), factor.settling(),
                asked.target(), asked.coolDown(), asked.response(), asked.levels(), asked.given());
        Path folder = out.toAbsolutePath();
        Duration rampUp = Collections.min(List.of(RunDriver.RAMP_UP, factor.settling()));
        RunDriver driver = new RunDriver(testbed, setting, folder.resolve("agent"), InstantSource.system(), rampUp);
        Pipeline pipeline = new Pipeline(folder, factor, new Plans(common.users(testbed), common.seed(), factor.phase(),
                factor.phase()), attributes, HarmOptions.checked(leastHarm), driver, AgentArm::acting);
        Progress progress = new Progress(System.err, System.console() != null, pipeline.estimate());
        progress.say(factor.text());
        progress.say("about " + Progress.text(pipeline.estimate()) + " to record");
        Study study = pipeline.run(progress, intervals());
        System.out.print(study.of(attributes).figures().text());
        study.leftOut().forEach(System.out::println);
        System.out.println(out.resolve("report.html"));
        return 0;
    }

    /** The recorded interval, and the paper's if it can be made of it. */
    private List<Duration> intervals() {
        List<Duration> intervals = new ArrayList<>(List.of(common.interval()));
        boolean coarser = PAPER.compareTo(common.interval()) > 0 && PAPER.toMillis() % common.interval().toMillis() == 0;
        if (coarser) {
            intervals.add(PAPER);
        }
        return intervals;
    }
}
