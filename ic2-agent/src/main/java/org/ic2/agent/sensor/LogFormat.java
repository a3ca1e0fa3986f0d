// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * httpd's {@code LogFormat} turned around: finds duration and status in a line of the access log. The format must have
 * {@code %D} (or {@code %{us}T}, {@code %{ms}T}, {@code %T}); without {@code %>s} or {@code %s} no request counts as
 * failed.
 */
final class LogFormat {

    private static final Pattern DIRECTIVE = Pattern.compile("%[!0-9,]*[<>]?(\\{[^}]*})?[<>]?(\\^?[A-Za-z%]{1,3}?)");

    /**
     * A request of one line.
     *
     * @param path without the query; empty when the format has none
     */
    record Entry(double seconds, int status, String path) {
    }

    private final Pattern line;
    private final double unitSeconds;
    private final boolean hasStatus;
    private final boolean hasPath;

    private LogFormat(Pattern line, double unitSeconds, boolean hasStatus, boolean hasPath) {
        this.line = line;
        this.unitSeconds = unitSeconds;
        this.hasStatus = hasStatus;
        this.hasPath = hasPath;
    }

    static LogFormat parse(String format) {
        StringBuilder regex = new StringBuilder();
        double unit = Double.NaN;
        boolean status = false;
        boolean path = false;
        Matcher directive = DIRECTIVE.matcher(format);
        int end = 0;
        while (directive.find()) {
            regex.append(Pattern.quote(format.substring(end, directive.start())));
            end = directive.end();
            double seconds = unitOf(directive.group(1), directive.group(2));
            if (!Double.isNaN(seconds) && Double.isNaN(unit)) {
                unit = seconds;
                regex.append("(?<duration>\\d{1,15})");
            } else if (directive.group(2).equals("s") && !status) {
                status = true;
                regex.append("(?<status>\\d{3})");
            } else {
                boolean request = !path && (directive.group(2).equals("r") || directive.group(2).equals("U"));
                path |= request;
                regex.append(request ? "(?<request>" : "");
                boolean quoted = directive.start() > 0 && format.charAt(directive.start() - 1) == '"';
                regex.append(directive.group(2).equals("t") && directive.group(1) == null ? "\\[[^\\]]*]"
                        : quoted ? "(?:[^\"\\\\]|\\\\.)*+" : "\\S+");
                regex.append(request ? ")" : "");
            }
        }
        regex.append(Pattern.quote(format.substring(end)));
        if (Double.isNaN(unit)) {
            throw new IllegalArgumentException(
                    "expected a LogFormat with %D (duration in microseconds), got \"" + format + "\"");
        }
        return new LogFormat(Pattern.compile(regex.toString()), unit, status, path);
    }

    /** True when lines tell what was asked for. */
    boolean hasPath() {
        return hasPath;
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

    /** The request of a line; empty when the line has another form. */
    Optional<Entry> match(String text) {
        Matcher matcher = line.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new Entry(Long.parseLong(matcher.group("duration")) * unitSeconds,
                hasStatus ? Integer.parseInt(matcher.group("status")) : 200,
                hasPath ? path(matcher.group("request")) : ""));
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
}
