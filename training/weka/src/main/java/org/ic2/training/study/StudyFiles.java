// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.ic2.training.data.TextFiles;

/** Writes what a study found. */
public final class StudyFiles {
    private StudyFiles() {
    }

    /** The report, and beside it the figures as CSV. */
    public static void write(Study study, String chosen, Path report, Map<String, String> facts) throws IOException {
        TextFiles.write(report, StudyReport.html(study, chosen, facts));
        TextFiles.write(report.toAbsolutePath().resolveSibling("figures.csv"), TextFiles.joined(FiguresCsv.lines(study)));
    }
}
