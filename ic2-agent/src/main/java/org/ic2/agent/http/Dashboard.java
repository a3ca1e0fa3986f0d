// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.ic2.runtime.serve.HttpListener.Answer;

/** The files of the page that people look at. */
final class Dashboard {

    private static final Set<String> FILES = Set.of("index.html", "icon.svg", "dashboard.css", "dashboard.js", "data.js", "charts.js", "words.js",
            "actions.js", "changes.js", "source.js", "uplot/uPlot.min.css", "uplot/uPlot.iife.js");

    private Dashboard() {
    }

    private static String file(String path) {
        return path.equals("/") ? "index.html" : path.substring(1);
    }

    /** True if a file lies at a path. */
    static boolean has(String path) {
        return path.startsWith("/") && FILES.contains(file(path));
    }

    /** The file at a path that {@linkplain #has has} one. */
    static Answer answer(String path) throws IOException {
        String file = file(path);
        String type = file.endsWith(".html") ? "text/html" : file.endsWith(".css") ? "text/css" : file.endsWith(".svg") ? "image/svg+xml"
                : "text/javascript";
        try (InputStream in = Dashboard.class.getResourceAsStream("dashboard/" + file)) {
            return Answer.of(200, type + "; charset=utf-8", in.readAllBytes());
        }
    }
}
