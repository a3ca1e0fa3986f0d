// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.w3c.dom.Document;

/**
 * What run.xml says to the runtime. What it says to the driver stays in the document.
 *
 * @param file             where it came from
 * @param document         the whole file, for the driver's XPath questions
 * @param definition       name of the driver class
 * @param scale            fa:scale
 * @param threads          fd:driverConfig/fd:threads, or 0: then scale x threadPerScale users
 * @param rampUp           time before the steady state
 * @param steady           steady state: only operations inside it are in summary.xml and in the O columns
 * @param rampDown         time after it
 * @param outputDir        parent of the run's folder, or null
 * @param threadDelay      time between the starts of two users
 * @param simultaneous     whether the users wait for the last one before they begin
 * @param detailInterval   bucket of detail.xan
 * @param statsEnabled     whether runtime statistics lines are written
 * @param statsInterval    interval of these lines and of the interval CSV
 * @param properties       fd:properties of the driver
 * @param seed             {@code seed} below the root: makes the load repeatable; null when absent
 * @param warnings         elements that are ignored, as messages
 */
record RunConfig(Path file, Document document, String definition, int scale, int threads, Duration rampUp, Duration steady,
                 Duration rampDown, Path outputDir, Duration threadDelay, boolean simultaneous, Duration detailInterval,
                 boolean statsEnabled, Duration statsInterval, Map<String, String> properties, Long seed,
                 List<String> warnings) {
    /** Most users of one run. */
    static final int MAX_USERS = 5000;

    /** Users of a driver. */
    int users(DriverModel model) throws ConfigError {
        long users = threads > 0 ? threads : Math.round((double) scale * model.threadPerScale());
        if (users < 1 || users > MAX_USERS) {
            throw new ConfigError(file + ": fa:scale: expected 1.." + MAX_USERS + " users, got " + users);
        }
        return (int) users;
    }
}
