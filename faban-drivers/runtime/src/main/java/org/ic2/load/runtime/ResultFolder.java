// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Where a run writes. Never a folder that holds another run, because mixed files look like one run.
 *
 * @param path  the folder, which exists
 * @param runId number of the run
 */
record ResultFolder(Path path, int runId) {
    static final String LOG = "driver.log";

    /** Takes a folder that the user named. */
    static ResultFolder at(Path path) throws ConfigError {
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new ConfigError(path + ": expected a folder that can be written, got " + e, e);
        }
        if (Files.exists(path.resolve(LOG))) {
            throw new ConfigError(path + ": expected a folder without a run, found " + LOG + ": name another folder or"
                    + " remove it");
        }
        return new ResultFolder(path, 1);
    }

    /** Takes the folder after the highest number below a parent. */
    static ResultFolder nextBelow(Path parent) throws ConfigError {
        try {
            Files.createDirectories(parent);
            int highest;
            try (Stream<Path> entries = Files.list(parent)) {
                highest = entries.map(p -> p.getFileName().toString()).filter(name -> name.matches("\\d{1,9}"))
                        .mapToInt(Integer::parseInt).max().orElse(0);
            }
            Path path = Files.createDirectory(parent.resolve(Integer.toString(highest + 1)));
            return new ResultFolder(path, highest + 1);
        } catch (IOException e) {
            throw new ConfigError(parent + ": expected a folder that can be written, got " + e, e);
        }
    }
}
