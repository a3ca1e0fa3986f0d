// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.weka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ic2.training.cli.CommandsTest.run;

import java.io.IOException;
import java.nio.file.Path;
import org.ic2.training.Generated;
import org.ic2.training.cli.CommandsTest.Outcome;
import org.ic2.training.data.RunFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verbs of this module in the command that finds them. */
class WekaVerbsTest {
    @TempDir
    private Path folder;

    @Test
    void theCommandHoldsThemWhenThisModuleIsThere() {
        assertThat(run("--version").text()).contains("GPL-3.0-or-later, with Weka 3.");
        assertThat(run("--help").text().replaceAll("\\s+", " ")).contains(" fit Trains a tree", " pipeline Records and trains")
                .doesNotContain("make java");
        assertThat(run("pipeline", "--help")).extracting(Outcome::status).isEqualTo(0);
    }

    @Test
    void aTreeIsNotJudgedOnWhatTaughtIt() throws IOException {
        for (int i = 0; i < 3; i++) {
            RunFolder.write(folder.resolve("runs/collected-" + i), Generated.run("collected-" + i, i, 2, 60, 0.1), false);
        }
        Outcome judged = run("evaluate", folder.resolve("runs/collected-0"), "--training", folder.resolve("runs"));
        assertThat(judged.status()).isEqualTo(2);
        assertThat(judged.text()).contains("the run collected-0 is in both sets");
        Outcome fitted = run("fit", folder.resolve("runs/collected-0"), "--phase", 2, "--phase-1", folder.resolve("runs"), "--out",
                folder.resolve("tree"));
        assertThat(fitted.status()).isEqualTo(2);
        assertThat(fitted.text()).contains("the run collected-0 is in both sets");
    }
}
