// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.ic2.load.http.Response;
import org.ic2.load.workload.PageError;

/**
 * What a user needs to know of a page. The page is decompressed only as far as has been asked for: the marks of the body,
 * the picture at the top and the token of the first form lie near the beginning, and decompressing is half of what a page
 * costs the load generator.
 */
final class Page implements AutoCloseable {
    private static final String TOKEN_BEFORE = "name=\"_csrf\" value=\"";
    private static final int TOKEN_LENGTH = 32;
    private static final int STEP = 4096;
    /** How many bytes of the page are enough for the longest mark and value that is looked for. */
    private static final int MAX_VALUE = 512;

    private final InputStream in;
    private byte[] seen = new byte[STEP];
    private int length;
    private boolean complete;

    Page(Response response) throws IOException {
        in = response.content();
    }

    /** Name of the page, or null. */
    String name() throws IOException {
        return value("<body data-page=\"");
    }

    /** For whom the page says it was built, or null. */
    String user() throws IOException {
        return value("\" data-user=\"");
    }

    /** Path of the picture that is loaded at once, or null. */
    String hero() throws IOException {
        return value("<img class=\"hero\" src=\"");
    }

    /** Paths of the first pictures that the page names, each once. */
    Set<String> pictures(int most) throws IOException {
        Set<String> found = new LinkedHashSet<>();
        byte[] mark = " src=\"/media/".getBytes(StandardCharsets.US_ASCII);
        int from = 0;
        while (found.size() < most) {
            int at = indexOf(mark, from);
            if (at >= 0) {
                String name = untilQuote(at + mark.length);
                from = at + mark.length;
                if (name != null) {
                    found.add("/media/" + name);
                }
            } else {
                from = Math.max(from, length - mark.length + 1);
                if (!more()) {
                    break;
                }
            }
        }
        return found;
    }

    /** Token of the first form; fails when there is none. */
    String token() throws IOException {
        String token = value(TOKEN_BEFORE);
        if (token == null || token.length() != TOKEN_LENGTH) {
            throw new PageError("form: expected a hidden field _csrf of " + TOKEN_LENGTH + " digits, got " + token);
        }
        return token;
    }

    /** What stands between a mark and the next quote. */
    private String value(String mark) throws IOException {
        byte[] pattern = mark.getBytes(StandardCharsets.US_ASCII);
        int from = 0;
        while (true) {
            int at = indexOf(pattern, from);
            if (at >= 0) {
                return untilQuote(at + pattern.length);
            }
            from = Math.max(0, length - pattern.length + 1);
            if (!more()) {
                return null;
            }
        }
    }

    private String untilQuote(int start) throws IOException {
        for (int i = start; i < start + MAX_VALUE; i++) {
            if (i == length && !more()) {
                return null;
            }
            if (seen[i] == '"') {
                return new String(seen, start, i - start, StandardCharsets.UTF_8);
            }
        }
        return null;
    }

    private boolean more() throws IOException {
        if (complete) {
            return false;
        }
        if (length == seen.length) {
            seen = Arrays.copyOf(seen, length * 2);
        }
        int n = in.read(seen, length, Math.min(STEP, seen.length - length));
        complete = n < 0;
        length += Math.max(n, 0);
        return !complete;
    }

    private int indexOf(byte[] pattern, int from) {
        for (int i = from; i <= length - pattern.length; i++) {
            if (seen[i] == pattern[0] && Arrays.equals(seen, i, i + pattern.length, pattern, 0, pattern.length)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
