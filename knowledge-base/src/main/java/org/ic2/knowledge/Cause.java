// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.Arrays;
import java.util.Optional;

/** Why users of a tier are harmed. The order is that in which causes are asked for: one that explains others comes before them. */
public enum Cause {
    /** A guest beside this one takes CPU, cache or memory bandwidth. */
    NEIGHBOUR("neighbour", "a neighbour on the same host"),
    /** A backup, cron job or update on the tier's own machine. */
    OWN_BATCH_WORK("own-batch-work", "other work on this machine"),
    /** Programs that fetch page after page. */
    CRAWLERS("crawlers", "crawlers"),
    /** The same pages take more CPU than before. */
    DEARER_PAGES("dearer-pages", "dearer pages"),
    /** More of the usual requests. */
    SURGE("surge", "more of the usual requests"),
    /** The way to the users loses packets, as beside a neighbour that fills the link. */
    NETWORK("network", "a network that loses packets"),
    /** A database, an API or a disk answers slowly. */
    SLOW_DEPENDENCY("slow-dependency", "something that pages wait for is slow"),
    /** All workers are busy although there is CPU for more. */
    LIMIT("limit", "the limit of workers"),
    /** Nothing that is measured tells. */
    UNKNOWN("unknown", "unknown");

    private final String key;
    private final String words;

    Cause(String key, String words) {
        this.key = key;
        this.words = words;
    }

    /** The name in configuration, rules, metrics and JSON. */
    public String key() {
        return key;
    }

    /** The cause for people. */
    public String words() {
        return words;
    }

    /** The cause of a name, if there is one. */
    public static Optional<Cause> ofKey(String key) {
        return Arrays.stream(values()).filter(cause -> cause.key.equals(key)).findFirst();
    }
}
