// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which requests of an access log count, by their paths: the application's, when static files would hide its pages.
 *
 * @param include patterns, one of which must fit; none: every path
 * @param exclude patterns, none of which may fit
 */
record RequestFilter(List<String> include, List<String> exclude) {

    /** The pattern for files that need no application, by the end of their names. */
    static final String STATIC = "static";

    private static final Set<String> STATIC_ENDS = Set.of("css", "js", "mjs", "map", "png", "jpg", "jpeg", "gif",
            "webp", "avif", "svg", "ico", "bmp", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "m4a", "ogg",
            "webm", "pdf", "zip", "gz");

    /** Every request counts. */
    static RequestFilter all() {
        return new RequestFilter(List.of(), List.of());
    }

    RequestFilter {
        include = List.copyOf(include);
        exclude = List.copyOf(exclude);
        include.forEach(RequestFilter::check);
        exclude.forEach(RequestFilter::check);
    }

    private static void check(String pattern) {
        if (!pattern.equals(STATIC) && !pattern.startsWith("/") && !pattern.startsWith("*")) {
            throw new IllegalArgumentException("expected " + STATIC + ", or a path such as /blog/* or *.css in which *"
                    + " stands for any letters, got \"" + pattern + "\"");
        }
    }

    boolean isEverything() {
        return include.isEmpty() && exclude.isEmpty();
    }

    /** True if a request for this path, without its query, counts. */
    boolean counts(String path) {
        return (include.isEmpty() || include.stream().anyMatch(pattern -> fits(pattern, path)))
                && exclude.stream().noneMatch(pattern -> fits(pattern, path));
    }

    static boolean isStatic(String path) {
        int dot = path.lastIndexOf('.');
        return dot > path.lastIndexOf('/') && STATIC_ENDS.contains(path.substring(dot + 1).toLowerCase(Locale.ROOT));
    }

    private static boolean fits(String pattern, String path) {
        return pattern.equals(STATIC) ? isStatic(path) : matches(pattern, path);
    }

    /** Whether a path fits a pattern with {@code *}; of what a star has taken it gives back one letter at a time. */
    private static boolean matches(String pattern, String path) {
        int letter = 0;
        int place = 0;
        int star = -1;
        int taken = 0;
        while (place < path.length()) {
            if (letter < pattern.length() && pattern.charAt(letter) == '*') {
                star = letter++;
                taken = place;
            } else if (letter < pattern.length() && pattern.charAt(letter) == path.charAt(place)) {
                letter++;
                place++;
            } else if (star >= 0) {
                letter = star + 1;
                place = ++taken;
            } else {
                return false;
            }
        }
        return pattern.chars().skip(letter).allMatch(rest -> rest == '*');
    }
}
