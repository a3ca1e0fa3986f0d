// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How many of the requests of an access log are for static files, and what that makes of the mean response time.
 *
 * @param pages       requests for anything else
 * @param pageSeconds theirs, in all
 * @param files       requests for static files
 * @param fileSeconds theirs, in all
 */
record LogMix(int pages, double pageSeconds, int files, double fileSeconds) {

    /** Where pages take so many times the mean of all requests, that mean says nothing of them. */
    private static final double HIDDEN = 1.5;

    static LogMix of(List<String> lines, LogFormat format) {
        int pages = 0;
        int files = 0;
        double pageSeconds = 0;
        double fileSeconds = 0;
        for (String line : lines) {
            Optional<LogFormat.Entry> entry = format.match(line);
            if (entry.isPresent() && RequestFilter.isStatic(entry.get().path())) {
                files++;
                fileSeconds += entry.get().seconds();
            } else if (entry.isPresent()) {
                pages++;
                pageSeconds += entry.get().seconds();
            }
        }
        return new LogMix(pages, pageSeconds, files, fileSeconds);
    }

    /** What to do where static files hide the pages; empty where they do not. */
    Optional<String> caveat() {
        double all = (pageSeconds + fileSeconds) / (pages + files);
        double page = pageSeconds / pages;
        return page > HIDDEN * all ? Optional.of(String.format(Locale.ROOT, "%d of the last %d requests are for static"
                + " files, so the mean of all, %.3fs, hides what a page takes, %.3fs: set exclude: [%s]", files,
                pages + files, all, page, RequestFilter.STATIC)) : Optional.empty();
    }
}
