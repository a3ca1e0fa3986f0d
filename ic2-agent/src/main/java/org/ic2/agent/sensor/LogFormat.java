// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * httpd's {@code LogFormat} turned around: finds duration and status in a line of the access log. The format must have
 * {@code %D} (or {@code %{us}T}, {@code %{ms}T}, {@code %T}); without {@code %>s} or {@code %s} no request counts as
 * failed.
 *
 * <p>What visitors send stands in these lines, so the time for a line grows with its length and no faster, whatever the
 * format: a first try takes as much as it can for each directive, which nearly always fits; where it does not, a second
 * looks at each place of the line once for each directive. A regular expression would try all combinations.
 */
final class LogFormat {

    private static final Pattern DIRECTIVE =
            Pattern.compile("%[!0-9,]*([<>]?)(\\{[^}]*})?([<>]?)(\\^[A-Za-z]{2}|[A-Za-z%])");

    /** How what mod_cache says of a request begins when it had the answer. */
    private static final String HIT = "cache hit";
    /** What mod_standby says of those whom it asked to come later. */
    private static final Set<String> AWAY = Set.of("wall", "crawler");
    private static final int LONGEST_FORMAT = 4096;
    private static final int MOST_PIECES = 200;

    /**
     * A request of one line.
     *
     * @param method empty when the format has none
     * @param path   without the query; empty when the format has none
     * @param stored true if the format says so: a store of pages had the answer
     * @param away   true if the format says so: who asked was told to come later
     * @param member true if the format says so: who asks has a session cookie of the application
     * @param client who asks
     */
    record Entry(double seconds, int status, String method, String path, boolean stored, boolean away, boolean member,
            Client client) {
    }

    /**
     * Who asks, each empty when the format has none.
     *
     * @param asked  the request with its query
     * @param cookie as it was sent; - when none was
     */
    record Client(String address, String agent, String cookie, String asked) {
    }

    /** A part of a line. */
    private sealed interface Piece {
    }

    private record Literal(String text) implements Piece {
    }

    /** A run of letters of one kind. */
    private record Run(Kind kind, int least, int most) implements Piece {
    }

    private enum Kind {
        DIGITS, NO_BLANK, NO_BRACKET,
        /** Up to a quotation mark without a backslash before it. */
        QUOTED;

        boolean takes(String text, int place) {
            char letter = text.charAt(place);
            return switch (this) {
                case DIGITS -> letter >= '0' && letter <= '9';
                case NO_BLANK -> letter != ' ' && (letter < '\t' || letter > '\r');
                case NO_BRACKET -> letter != ']';
                case QUOTED -> letter != '"' || escaped(text, place);
            };
        }

        private static boolean escaped(String text, int place) {
            int first = place;
            while (first > 0 && text.charAt(first - 1) == '\\') {
                first--;
            }
            return (place - first) % 2 == 1;
        }
    }

    private final List<Piece> pieces = new ArrayList<>();
    private double unitSeconds = Double.NaN;
    private final Map<LogField, Integer> places = new EnumMap<>(LogField.class);

    private LogFormat() {
    }

    static LogFormat parse(String format) {
        if (format.length() > LONGEST_FORMAT) {
            throw new IllegalArgumentException("expected a LogFormat of at most " + LONGEST_FORMAT + " letters");
        }
        LogFormat result = new LogFormat();
        Matcher directive = DIRECTIVE.matcher(format);
        int end = 0;
        while (directive.find()) {
            result.literal(format.substring(end, directive.start()));
            end = directive.end();
            result.directive(directive.group(2), directive.group(4), (directive.group(1) + directive.group(3)).contains("<"),
                    directive.start() > 0 && format.charAt(directive.start() - 1) == '"');
        }
        result.literal(format.substring(end));
        if (!result.has(LogField.DURATION) || result.pieces.size() > MOST_PIECES) {
            throw new IllegalArgumentException("expected a LogFormat with %D (duration in microseconds) and at most "
                    + MOST_PIECES + " parts, got \"" + format + "\"");
        }
        return result;
    }

    private void literal(String text) {
        if (!text.isEmpty()) {
            pieces.add(new Literal(text));
        }
    }

    private void directive(String argument, String letter, boolean first, boolean quoted) {
        double seconds = unitOf(argument, letter);
        if (!Double.isNaN(seconds) && !has(LogField.DURATION)) {
            unitSeconds = seconds;
            places.put(LogField.DURATION, pieces.size());
            pieces.add(new Run(Kind.DIGITS, 1, 15));
        } else if (letter.equals("s") && !has(LogField.STATUS)) {
            places.put(LogField.STATUS, pieces.size());
            pieces.add(new Run(Kind.DIGITS, 3, 3));
        } else if (letter.equals("%")) {
            literal("%");
        } else {
            LogField.of(argument, letter, first).ifPresent(field -> places.putIfAbsent(field, pieces.size()));
            text(argument, letter, quoted);
        }
    }

    boolean has(LogField field) {
        return places.containsKey(field);
    }

    private void text(String argument, String letter, boolean quoted) {
        if (letter.equals("t") && argument == null) {
            literal("[");
            pieces.add(new Run(Kind.NO_BRACKET, 0, Integer.MAX_VALUE));
            literal("]");
        } else if (quoted) {
            pieces.add(new Run(Kind.QUOTED, 0, Integer.MAX_VALUE));
        } else {
            pieces.add(new Run(Kind.NO_BLANK, 1, Integer.MAX_VALUE));
        }
    }

    private static double unitOf(String argument, String letter) {
        if (letter.equals("D")) {
            return 1e-6;
        }
        if (!letter.equals("T")) {
            return Double.NaN;
        }
        return switch (argument == null ? "{s}" : argument) {
            case "{us}" -> 1e-6;
            case "{ms}" -> 1e-3;
            default -> 1;
        };
    }

    /** True when lines tell what was asked for. */
    boolean hasPath() {
        return has(LogField.REQUEST);
    }

    /** True when lines tell members from visitors. */
    boolean hasMember() {
        return has(LogField.MEMBER);
    }

    /** True when lines tell which address asked. */
    boolean hasAddress() {
        return has(LogField.ADDRESS);
    }

    /** True when lines tell which program asked. */
    boolean hasAgent() {
        return has(LogField.AGENT);
    }

    /** True when lines tell whether a cookie was sent. */
    boolean hasCookie() {
        return has(LogField.COOKIE);
    }

    /** The request of a line; empty when the line has another form. */
    Optional<Entry> match(String text) {
        int[] starts = new int[pieces.size() + 1];
        if (!fitsAtOnce(text, starts) && !fits(text, starts)) {
            return Optional.empty();
        }
        String asked = part(text, starts, LogField.REQUEST);
        return Optional.of(new Entry(number(text, starts, LogField.DURATION) * unitSeconds,
                has(LogField.STATUS) ? (int) number(text, starts, LogField.STATUS) : 200,
                has(LogField.METHOD) ? part(text, starts, LogField.METHOD) : method(asked), path(asked),
                part(text, starts, has(LogField.CACHE) ? LogField.CACHE : LogField.FIRST_CACHE).startsWith(HIT),
                AWAY.contains(part(text, starts, LogField.CACHE)) || AWAY.contains(part(text, starts, LogField.FIRST_CACHE)),
                part(text, starts, LogField.MEMBER).equals("1"), new Client(part(text, starts, LogField.ADDRESS), part(text, starts, LogField.AGENT), part(text, starts, LogField.COOKIE), asked)));
    }

    private String part(String text, int[] starts, LogField field) {
        Integer piece = places.get(field);
        return piece == null ? "" : text.substring(starts[piece], starts[piece + 1]);
    }

    /** The method in a request line; of a path there is none. */
    private static String method(String request) {
        int end = request.startsWith("/") ? -1 : request.indexOf(' ');
        return end < 0 ? "" : request.substring(0, end);
    }

    /** The path in a request line, {@code GET /a?b HTTP/1.1}, or a path as it is. */
    static String path(String request) {
        int from = request.startsWith("/") ? 0 : request.indexOf(' ') + 1;
        int to = from;
        while (to < request.length() && request.charAt(to) != ' ' && request.charAt(to) != '?') {
            to++;
        }
        return request.substring(from, to);
    }

    private long number(String text, int[] starts, LogField field) {
        int piece = places.get(field);
        return Long.parseLong(text, starts[piece], starts[piece + 1], 10);
    }

    /** True when the line fits with each run as long as it can be. */
    private boolean fitsAtOnce(String text, int[] starts) {
        int place = 0;
        for (int i = 0; i < pieces.size(); i++) {
            starts[i] = place;
            if (pieces.get(i) instanceof Run run) {
                long most = Math.min(text.length(), (long) place + run.most);
                while (place < most && run.kind.takes(text, place)) {
                    place++;
                }
                if (place - starts[i] < run.least) {
                    return false;
                }
            } else {
                String literal = ((Literal) pieces.get(i)).text;
                if (!text.startsWith(literal, place)) {
                    return false;
                }
                place += literal.length();
            }
        }
        starts[pieces.size()] = place;
        return place == text.length();
    }

    /** True when the line fits somehow; then with the first runs as long as they can be. */
    private boolean fits(String text, int[] starts) {
        int count = pieces.size();
        // where the rest of the line fits the rest of the pieces
        BitSet[] fitting = new BitSet[count + 1];
        fitting[count] = new BitSet(text.length() + 1);
        fitting[count].set(text.length());
        for (int i = count - 1; i >= 0; i--) {
            fitting[i] = before(pieces.get(i), text, fitting[i + 1]);
        }
        if (!fitting[0].get(0)) {
            return false;
        }
        Arrays.fill(starts, 0);
        for (int i = 0; i < count; i++) {
            int end;
            if (pieces.get(i) instanceof Run run) {
                end = starts[i];
                while (end < text.length() && end - starts[i] < run.most && run.kind.takes(text, end)) {
                    end++;
                }
                end = fitting[i + 1].previousSetBit(end);
            } else {
                end = starts[i] + ((Literal) pieces.get(i)).text.length();
            }
            starts[i + 1] = end;
        }
        return true;
    }

    /** The places from which the piece leads to one of the given ends. */
    private static BitSet before(Piece piece, String text, BitSet ends) {
        BitSet starts = new BitSet(text.length() + 1);
        if (piece instanceof Literal literal) {
            for (int end = ends.nextSetBit(0); end >= 0; end = ends.nextSetBit(end + 1)) {
                int start = end - literal.text.length();
                if (start >= 0 && text.startsWith(literal.text, start)) {
                    starts.set(start);
                }
            }
            return starts;
        }
        Run run = (Run) piece;
        int last = text.length();       // where the run that holds the place ends
        int end = ends.previousSetBit(last);
        for (int place = text.length(); place >= 0; place--) {
            if (place < text.length() && !run.kind.takes(text, place)) {
                last = place;
                end = ends.previousSetBit(last);
            }
            int reached = run.most > last - place ? end : ends.previousSetBit(place + run.most);
            if (reached >= place + run.least) {
                starts.set(place);
            }
        }
        return starts;
    }
}
