// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where two answers differ first: in status, in a header that a store would keep, or in the body. Numbers in HTML comments
 * (what a page took to build) may differ, as in the store's own comparison.
 */
final class PageComparison {

    /** Letters that are shown before and after the first difference. */
    private static final int BEFORE = 12;
    private static final int AFTER = 28;

    /** Of the moment or of the connection, or not sent with a stored page. */
    private static final Set<String> NOT_COMPARED = Set.of("age", "connection", "content-length", "date", "etag", "keep-alive",
            "last-modified", "server", "status", "trailer", "transfer-encoding", "upgrade", "x-cache", "expires", "server-timing",
            "x-runtime", "x-request-id", "set-cookie");

    private PageComparison() {
    }

    /**
     * A place, and what is there.
     *
     * @param offset bytes in the first body; -1 outside
     */
    record Place(String where, int offset, String first, String second) {
    }

    /** The first difference of two answers, given their plain bodies; empty when they are the same. */
    static Optional<Place> of(WebAnswer one, byte[] oneBody, WebAnswer other, byte[] otherBody) {
        if (one.status() != other.status()) {
            return Optional.of(new Place("status", -1, String.valueOf(one.status()), String.valueOf(other.status())));
        }
        return headers(one, other).or(() -> bodies(oneBody, otherBody));
    }

    private static Optional<Place> headers(WebAnswer one, WebAnswer other) {
        Set<String> names = new TreeSet<>();
        for (WebAnswer answer : List.of(one, other)) {
            answer.headers().forEach(header -> names.add(header.name().toLowerCase(Locale.ROOT)));
        }
        names.removeAll(NOT_COMPARED);
        return names.stream().filter(name -> !one.all(name).equals(other.all(name))).findFirst().map(name ->
                new Place("header " + name, -1, brief(String.join(", ", one.all(name))), brief(String.join(", ", other.all(name)))));
    }

    private static String brief(String value) {
        return value.length() <= BEFORE + AFTER ? value : value.substring(0, BEFORE + AFTER) + "...";
    }

    /** The first difference of two bodies. */
    static Optional<Place> bodies(byte[] one, byte[] other) {
        Cursor first = new Cursor(one);
        Cursor second = new Cursor(other);
        while (true) {
            int left = first.next();
            int right = second.next();
            if (left != right) {
                return Optional.of(new Place("byte " + first.place(), first.place(), first.around(), second.around()));
            }
            if (left < 0) {
                return Optional.empty();
            }
        }
    }

    /** Goes through a page; a number in a comment is one sign, whatever it is. */
    private static final class Cursor {

        private static final int NUMBER = 256;
        private static final byte[] BEGIN = "<!--".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] END = "-->".getBytes(StandardCharsets.US_ASCII);

        private final byte[] page;
        private int at;
        private int last;
        private boolean comment;

        Cursor(byte[] page) {
            this.page = page;
        }

        /** The next byte, 0 to 255, {@link #NUMBER}, or -1 at the end. */
        int next() {
            last = at;
            if (at == page.length) {
                return -1;
            }
            if (comment && isDigit(page[at])) {
                while (at < page.length && isDigit(page[at])) {
                    at++;
                }
                return NUMBER;
            }
            comment = comment ? !stands(END) : stands(BEGIN);
            return page[at++] & 0xff;
        }

        private static boolean isDigit(byte one) {
            return one >= '0' && one <= '9';
        }

        private boolean stands(byte[] word) {
            for (int i = 0; i < word.length; i++) {
                if (at + i >= page.length || page[at + i] != word[i]) {
                    return false;
                }
            }
            return true;
        }

        int place() {
            return last;
        }

        String around() {
            int from = Math.max(0, last - BEFORE);
            int to = Math.min(page.length, last + AFTER);
            return new String(page, from, to - from, StandardCharsets.UTF_8).replace('\ufffd', '?').replaceAll("\\s+", " ");
        }
    }
}
