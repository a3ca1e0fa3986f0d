// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;
import org.ic2.load.http.HttpUser;
import org.ic2.load.http.Request;
import org.ic2.load.http.Response;
import org.ic2.load.spi.LoadObserver;
import org.ic2.load.workload.PageError;

/** Which files of a page a browser asks for. */
interface PageFiles {
    /** Fetches no file at all. */
    PageFiles NONE = new PageFiles() {
        @Override
        public void of(String name, Page page) {
        }

        @Override
        public void newSession(boolean emptyCache) {
        }
    };

    /**
     * Fetches what a page needs and the browser has not.
     *
     * @param name of the page
     */
    void of(String name, Page page) throws IOException;

    /**
     * A visitor logs in at this browser.
     *
     * @param emptyCache whether it has no files
     */
    void newSession(boolean emptyCache);

    /**
     * Fetches a file.
     *
     * @param since HTTP date of the browser's copy, null without one
     */
    static void fetch(HttpUser browser, LoadObserver observer, String path, String since) throws IOException {
        Response response = browser.follow(since == null ? Request.file(path) : Request.fileIfChanged(path, since));
        boolean unchanged = since != null && response.status() == 304;
        if (response.status() != 200 && !unchanged) {
            throw new PageError("GET " + path + ": expected 200" + (since == null ? "" : " or 304") + ", got " + response.status(),
                    response.status());
        }
        observer.file(unchanged);
    }
}
