// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.TextFiles;

/** What a run left that did not come to its end. */
public final class BrokenRuns {
    /** What follows the run's name in the name of its remains. */
    public static final String SUFFIX = "-broken-";

    /** The same of one that came to its end while the machine did something else. */
    public static final String DISTURBED = "-disturbed-";

    private BrokenRuns() {
    }

    /**
     * Makes room for another try in a run's folder: moves what was measured to a folder of its own, removes the rest.
     *
     * @return where the samples are now, empty if there were none
     */
    public static Optional<Path> keep(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        if (RunCompletion.unfinished(folder)) {
            RunCompletion.end(folder, Optional.empty(), "the program ended");
        }
        if (!RunFolder.complete(folder)) {
            TextFiles.delete(folder);
            return Optional.empty();
        }
        return Optional.of(setAside(folder, SUFFIX));
    }

    /** Gives a whole run the first name with this suffix that is free; returns its folder. */
    public static Path setAside(Path folder, String suffix) throws IOException {
        int number = 1;
        while (Files.exists(folder.resolveSibling(folder.getFileName() + suffix + number))) {
            number++;
        }
        Path kept = folder.resolveSibling(folder.getFileName() + suffix + number);
        Files.move(folder, kept);
        Run run = RunFolder.read(kept);
        RunFolder.write(kept, run.named(kept.getFileName().toString()), false);
        return kept;
    }
}
