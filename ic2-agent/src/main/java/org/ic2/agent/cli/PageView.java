// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/**
 * What one visitor sees of a page.
 *
 * @param face    what must not change with a rung: status, type, where it leads to, and title
 * @param cookies the values of {@code Set-Cookie}
 * @param cache   what a cache says of it in {@code X-Cache}: {@code HIT from localhost}
 * @param control its {@code Cache-Control}
 * @param bytes   of the body as it came over the wire
 */
record PageView(String face, List<String> cookies, Optional<String> cache, String control, int bytes) {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int LARGEST_PAGE = 4 * 1024 * 1024;
    private static final Pattern TITLE = Pattern.compile("<title[^>]*>(.*?)</title>",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** As browsers ask, which matters: a page that goes out uncompressed may not be kept. */
    static PageView of(HttpClient client, URI page, Optional<String> cookie) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(page).timeout(PATIENCE).header("User-Agent", "ic2 check")
                .header("Accept", "text/html,*/*;q=0.8").header("Accept-Encoding", "gzip");
        cookie.ifPresent(value -> request.header("Cookie", value));
        HttpResponse<InputStream> answer;
        byte[] body;
        try {
            answer = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream in = answer.body()) {
                body = in.readNBytes(LARGEST_PAGE);
            }
        } catch (IOException e) {
            throw new IOException("GET " + page + ": " + (e.getMessage() == null ? e : e.getMessage()), e);
        }
        boolean packed = answer.headers().firstValue("Content-Encoding").orElse("").equals("gzip");
        String face = answer.statusCode() + " " + answer.headers().firstValue("Content-Type").orElse("without a type")
                + answer.headers().firstValue("Location").map(to -> " to " + to).orElse("")
                + title(packed ? unpacked(body) : body).map(title -> " \"" + title + "\"").orElse("");
        return new PageView(face, answer.headers().allValues("Set-Cookie"), answer.headers().firstValue("X-Cache"),
                String.join(", ", answer.headers().allValues("Cache-Control")), body.length);
    }

    private static byte[] unpacked(byte[] body) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readNBytes(LARGEST_PAGE);
        } catch (EOFException e) {
            return new byte[0];     // longer than what was read of it
        }
    }

    private static Optional<String> title(byte[] body) {
        Matcher title = TITLE.matcher(new String(body, StandardCharsets.UTF_8));
        return title.find() ? Optional.of(title.group(1).strip()) : Optional.empty();
    }

    boolean hit() {
        return cache.filter(said -> said.toUpperCase(Locale.ROOT).startsWith("HIT")).isPresent();
    }

    /** The names of the cookies that it sets. */
    String cookieNames() {
        return cookies.stream().map(cookie -> cookie.split("=", 2)[0]).distinct().collect(Collectors.joining(", "));
    }
}
