// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.util.function.Function;
import org.ic2.load.http.HttpUser;
import org.ic2.load.workload.RunSettings;

/**
 * What run.xml says about server, client and workload, below the root element {@code olio}. Every value has a default but
 * host and port.
 *
 * @param http       server and client
 * @param seed       makes the load repeatable; null means another load each time
 * @param exponent   steepness of the popularity of events and tags
 * @param offset     flatness of its top
 * @param emptyCache probability that a user who logs in has an empty browser cache (Olio: 0.4)
 * @param attend     probability that a logged-in user attends the event that is shown (Olio: 0.1)
 * @param leave      probability that a logged-in user has left when the home page is asked for, so that an anonymous one
 *                   asks for it
 * @param files      whether the files of a page are fetched too
 * @param pictures   how many of the pictures that a page names are fetched too, in the original's profile
 */
record OlioSettings(HttpUser.Settings http, Long seed, double exponent, double offset, double emptyCache, double attend,
                    double leave, boolean files, int pictures) {

    /**
     * Reads the settings.
     *
     * @param profile what holds where run.xml does not say
     * @param xPath   gives the text at a path, empty when there is none
     * @throws IllegalArgumentException names the path, what was expected and what came
     */
    static OlioSettings read(Profile profile, Function<String, String> xPath) {
        RunSettings source = new RunSettings("olio", xPath);
        return new OlioSettings(source.http(), source.seed(),
                source.number("workload/popularityExponent", 1.1, 0.01, 10),
                source.number("workload/popularityOffset", 3, 0.01, 1e6),
                source.number("workload/emptyCache", 0.4, 0, 1),
                source.number("workload/attend", 0.1, 0, 1),
                source.number("workload/leave", profile.leave(), 0, 1),
                source.flag("workload/files", true),
                (int) source.number("workload/pictures", 10, 0, 1000));
    }
}
