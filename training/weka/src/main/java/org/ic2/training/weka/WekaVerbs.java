// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.weka;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.training.cli.TrainingVerbs;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Resampling;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Answer;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Kind;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.CrossValidation;
import org.ic2.training.fit.Fitted;
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
    public Object paper() {
        return new PaperCommand();
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
        List<String> sets = sets(request);
        Duration recorded = heldOut.get(0).interval();
        List<Duration> intervals = request.interval().filter(other -> !other.equals(recorded))
                .map(other -> List.of(recorded, other)).orElse(List.of(recorded));
        List<Run> training = DataSet.read(request.training());
        List<Run> first = request.harm().first();
        Study study = Study.make(new Study.Plan(request.harm().labelled(training, first), List.of(),
                request.harm().labelled(heldOut, Stream.concat(training.stream(), first.stream()).toList()), sets, intervals, Costs.PRODUCTION,
                request.costs().isEmpty() ? Costs.FIGURE_11 : request.costs(), request.seed()));
        print(study);
        if (request.report().isPresent()) {
            StudyFiles.write(study, sets.get(sets.size() - 1), request.report().get(),
                    Map.of("command", "ic2-train evaluate --training " + request.training() + " " + request.heldOut()));
            System.out.println(request.report().get());
        }
    }

    @Override
    public void leaveOut(Kind kind, StudyRequest request) throws IOException {
        List<Run> runs = request.harm().labelled(DataSet.read(request.heldOut()), request.harm().first()).stream()
                .map(run -> request.interval().map(longer -> Resampling.to(longer, run)).orElse(run)).toList();
        List<String> groups = runs.stream().map(kind::of).distinct().sorted().toList();
        if (groups.size() < 2) {
            throw new IllegalArgumentException("--leave-out " + kind.name().toLowerCase(Locale.ROOT) + ": expected runs of at least two, got "
                    + groups + "; name more RUNS");
        }
        Map<String, Integer> foldOf = runs.stream().collect(Collectors.toMap(Run::id, run -> groups.indexOf(kind.of(run))));
        List<Row> rows = Rows.of(runs);
        Fitted.Settings settings = Fitted.Settings.of(Costs.parse(request.costs().isEmpty() ? Costs.PRODUCTION : request.costs().get(0)));
        for (String set : sets(request)) {
            Optional<List<Answer>> answers = CrossValidation.of(rows, Rows.labelled(rows), Attributes.parse(set), settings, foldOf);
            System.out.println(set + answers.map(all -> "\n" + kind.table(Evaluation.of(runs, all)))
                    .orElse(": without one of " + groups + " the others do not hold samples of both sides"));
        }
    }

    private static List<String> sets(StudyRequest request) {
        return request.attributes().isEmpty() ? List.of(Attributes.PAPER, Attributes.RELATIVE, Attributes.EXTENDED) : request.attributes();
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
