// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

/**
 * httpd's limits, as its configuration has them or as it takes them where that says nothing.
 *
 * @param workers   MaxRequestWorkers
 * @param keepAlive KeepAliveTimeout, with a unit
 * @param threads   of a process; 1 with prefork
 */
record Limit(int workers, String keepAlive, int threads) {

    private static final int THREADS = 25;
    private static final int PROCESSES = 16;
    private static final int PREFORK = 256;

    static Limit of(SiteFacts facts) {
        HttpdConfig config = facts.config();
        boolean prefork = facts.build().mpm().equals("prefork");
        int threads = prefork ? 1 : config.number("threadsperchild").orElse(THREADS);
        int most = config.number("serverlimit").orElse(prefork ? PREFORK : PROCESSES) * threads;
        int workers = config.number("maxrequestworkers").orElse(config.number("maxclients").orElse(most));
        String timeout = config.value("keepalivetimeout").orElse("5");
        String withUnit = timeout.matches("\\d{1,6}") ? timeout + "s" : timeout.matches("\\d{1,6}m?s") ? timeout : "5s";
        return new Limit(workers, withUnit, threads);
    }

    /** Less than this helps nobody: half of it, in whole processes. */
    int fewest() {
        return Math.min(workers, Math.max(threads, workers / 2 / threads * threads));
    }

    /** The longest that a mitigation may make it. */
    String longest() {
        int number = Integer.parseInt(keepAlive.replaceFirst("m?s$", ""));
        return number < (keepAlive.endsWith("ms") ? 30_000 : 30) ? "30s" : keepAlive;
    }

    /** As httpd's configuration has it. */
    String directive() {
        return keepAlive.endsWith("ms") ? keepAlive : keepAlive.replaceFirst("s$", "");
    }
}
