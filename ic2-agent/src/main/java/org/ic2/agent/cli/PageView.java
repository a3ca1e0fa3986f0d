// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.agent.crawl.PageClient;
import org.ic2.agent.crawl.WebAnswer;

/**
 * What one visitor sees of a page.
 *
 * @param status     such as 200
 * @param face       what must not change with a level: status, type, where it leads to, and title
 * @param cookies    the names of the cookies that it sets
 * @param cache      what a cache says of it in {@code X-Cache}: {@code HIT}
 * @param control    its {@code Cache-Control}
 * @param bytes      of the body as it came over the wire
 * @param generators what it says that it was made by
 */
record PageView(int status, String face, List<String> cookies, Optional<String> cache, String control, int bytes,
        List<String> generators) {

    static final int LARGEST_PAGE = 4 * 1024 * 1024;
    private static final Pattern TITLE = Pattern.compile("<title[^>]*>(.*?)</title>",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** @throws IOException in one line */
    static PageView of(PageClient client, PageClient.Request request) throws IOException {
        WebAnswer answer = client.get(request);
        byte[] plain = unpacked(answer);
        String face = answer.status() + " " + answer.header("Content-Type").orElse("without a type")
                + answer.header("Location").map(to -> " to " + to).orElse("")
                + title(plain).map(title -> " \"" + title + "\"").orElse("");
        return new PageView(answer.status(), face, answer.cookieNames(), answer.header("X-Cache"),
                String.join(", ", answer.all("Cache-Control")), answer.body().length, answer.generators(plain));
    }

    private static byte[] unpacked(WebAnswer answer) throws IOException {
        try {
            return answer.plain(LARGEST_PAGE);
        } catch (EOFException e) {
            return new byte[0];     // longer than what was read of it
        }
    }

    private static Optional<String> title(byte[] body) {
        Matcher title = TITLE.matcher(new String(body, StandardCharsets.UTF_8));
        return title.find() ? Optional.of(title.group(1).strip()) : Optional.empty();
    }

    /** True if its Cache-Control keeps it from being shared. */
    boolean saysPrivate() {
        return control.matches("(?i).*(?:private|no-store|no-cache).*");
    }

    boolean hit() {
        return cache.filter(said -> said.toUpperCase(Locale.ROOT).startsWith("HIT")).isPresent();
    }

    /** The names of the cookies that it sets. */
    String cookieNames() {
        return String.join(", ", cookies);
    }
}
