// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;
import java.util.List;
import org.ic2.load.http.FileCache;
import org.ic2.load.http.HttpUser;
import org.ic2.load.spi.LoadObserver;

/** A browser that keeps the few files of our own pages: they never change under the same path. */
final class KeptFiles implements PageFiles {
    private static final List<String> OF_EVERY_PAGE = List.of("/static/1/app.css", "/static/1/app.js", "/static/1/icon.svg");

    private final HttpUser browser;
    private final LoadObserver observer;
    private final FileCache cache = new FileCache();

    KeptFiles(HttpUser browser, LoadObserver observer) {
        this.browser = browser;
        this.observer = observer;
    }

    @Override
    public void of(String name, Page page) throws IOException {
        for (String path : OF_EVERY_PAGE) {
            fetch(path);
        }
        String hero = page.hero();
        if (hero != null) {
            fetch(hero);
        }
    }

    @Override
    public void newSession(boolean emptyCache) {
        if (emptyCache) {
            cache.clear();
        }
    }

    private void fetch(String path) throws IOException {
        if (!cache.add(path)) {
            return;
        }
        boolean done = false;
        try {
            PageFiles.fetch(browser, observer, path, null);
            done = true;
        } finally {
            if (!done) {
                cache.remove(path);
            }
        }
    }
}
