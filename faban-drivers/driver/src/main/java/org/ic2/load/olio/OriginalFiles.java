// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ic2.load.http.HttpUser;
import org.ic2.load.spi.LoadObserver;

/**
 * A browser on the original's pages, each with 17 to 21 static files and its pictures. In a session it asks once for each; in
 * four of ten sessions it had none of the static files before, in the others it asks whether its copy is still good. Pictures,
 * which PHP sends without a validator, are fetched in any case.
 */
final class OriginalFiles implements PageFiles {
    private static final List<String> OF_EVERY_PAGE = IntStream.rangeClosed(1, 17)
            .mapToObj(i -> "/static/olio/common" + i + (i <= 3 ? ".css" : i <= 11 ? ".js" : ".png")).toList();
    private static final Map<String, List<String>> OF_A_PAGE = Map.of(
            "home", List.of("home1.png", "home2.png", "home3.png", "home4.png"),
            "tag", List.of("tag1.png", "tag2.png", "tag3.png"),
            "event", List.of("event1.png", "event2.png", "event3.png", "event4.png"),
            "person", List.of("person1.png", "person2.png", "person3.png"),
            "add-person", List.of("addperson1.js"),
            "add-event", List.of("addevent1.js", "addevent2.png"));

    private final HttpUser browser;
    private final LoadObserver observer;
    private final int pictures;
    private final String since;
    private final Set<String> asked = new HashSet<>();
    private boolean revalidates;

    /**
     * A browser with an empty cache.
     *
     * @param pictures how many of the pictures that a page names are fetched
     * @param before   when the copies were made that a browser asks about
     */
    OriginalFiles(HttpUser browser, LoadObserver observer, int pictures, Instant before) {
        this.browser = browser;
        this.observer = observer;
        this.pictures = pictures;
        since = DateTimeFormatter.RFC_1123_DATE_TIME.format(before.atOffset(ZoneOffset.UTC));
    }

    /** The static files of a page. */
    static List<String> of(String name) {
        return Stream.concat(OF_EVERY_PAGE.stream(), OF_A_PAGE.getOrDefault(name, List.of()).stream().map("/static/olio/"::concat)).toList();
    }

    @Override
    public void of(String name, Page page) throws IOException {
        for (String path : of(name)) {
            fetch(path, revalidates ? since : null);
        }
        for (String path : page.pictures(pictures)) {
            fetch(path, null);
        }
    }

    @Override
    public void newSession(boolean emptyCache) {
        asked.clear();
        revalidates = !emptyCache;
    }

    private void fetch(String path, String copy) throws IOException {
        if (!asked.contains(path)) {
            PageFiles.fetch(browser, observer, path, copy);
            asked.add(path);
        }
    }
}
