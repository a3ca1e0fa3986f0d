// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import java.nio.file.Path;
import java.util.function.Function;
import org.ic2.load.http.HttpUser;
import org.ic2.load.workload.RunSettings;

/**
 * What run.xml says about server, client and workload, below the root element {@code wordpress}.
 *
 * @param http       server and client
 * @param seed       makes the load repeatable; null means another load each time
 * @param pages      the site's addresses
 * @param members    number of members {@code member1} ..., with the passwords {@code pass-member1} ...
 * @param campaign   share of anonymous visitors who come by a link with utm_ parameters
 * @param emptyCache probability that a visitor's browser holds no file yet
 * @param files      whether the files of a page are fetched too
 * @param oldest     a page that is older is an error, seconds
 */
record WordPressSettings(HttpUser.Settings http, Long seed, Pages pages, int members, double campaign, double emptyCache,
                         boolean files, double oldest) {

    /**
     * Reads the settings.
     *
     * @param xPath gives the text at a path, empty when there is none
     * @throws IllegalArgumentException names the path, what was expected and what came
     */
    static WordPressSettings read(Function<String, String> xPath) {
        RunSettings source = new RunSettings("wordpress", xPath);
        Pages pages = Pages.read(Path.of(source.text("workload/pages", null)),
                source.number("workload/popularityExponent", 1.1, 0.01, 10),
                source.number("workload/popularityOffset", 3, 0.01, 1e6));
        return new WordPressSettings(source.http(), source.seed(), pages,
                (int) source.number("workload/members", 100, 1, 1e6),
                source.number("workload/campaign", 0.05, 0, 1),
                source.number("workload/emptyCache", 0, 0, 1),
                source.flag("workload/files", true),
                source.number("workload/oldestPage", Double.MAX_VALUE, 0, Double.MAX_VALUE));
    }
}
