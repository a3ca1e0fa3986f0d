// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.weka;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.ic2.training.cli.TrainingVerbs;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.fit.Costs;
import org.ic2.training.study.Study;
import org.ic2.training.study.StudyFiles;

/** The verbs that train, for the command that finds them on its class path. */
public final class WekaVerbs implements TrainingVerbs {
    @Override
    public Object fit() {
        return new FitCommand();
    }

    @Override
    public Object pipeline() {
        return new PipelineCommand();
    }

    @Override
    public String licence() {
        return "GPL-3.0-or-later, with Weka " + weka.core.Version.VERSION;
    }

    @Override
    public void study(StudyRequest request) throws IOException {
        List<Run> heldOut = DataSet.read(request.heldOut());
        if (heldOut.isEmpty()) {
            throw new IllegalArgumentException(request.heldOut() + ": expected runs with samples, got none");
        }
        List<String> sets = request.attributes().isEmpty()
                ? List.of(Attributes.PAPER, Attributes.RELATIVE, Attributes.EXTENDED) : request.attributes();
        Duration recorded = heldOut.get(0).interval();
        List<Duration> intervals = request.interval().filter(other -> !other.equals(recorded))
                .map(other -> List.of(recorded, other)).orElse(List.of(recorded));
        Study study = Study.make(new Study.Plan(request.harm().marked(DataSet.read(request.training()), request.harm().first()),
                List.of(), heldOut, sets, intervals, Costs.PRODUCTION,
                request.costs().isEmpty() ? Costs.FIGURE_11 : request.costs(), request.seed()));
        print(study);
        if (request.report().isPresent()) {
            StudyFiles.write(study, sets.get(sets.size() - 1), request.report().get(),
                    Map.of("command", "ic2-train evaluate --training " + request.training() + " " + request.heldOut()));
            System.out.println(request.report().get());
        }
    }

    private static void print(Study study) {
        for (Study.Case one : study.cases()) {
            if (one.figures().runs() > 0) {
                System.out.println(one.name() + "\n" + one.figures().text());
            }
            Study.APART.stream().filter(kind -> one.ofKind(kind).runs() > 0)
                    .forEach(kind -> System.out.println(one.name() + ", " + kind + "\n" + one.ofKind(kind).text()));
        }
        study.leftOut().forEach(System.out::println);
    }
}
