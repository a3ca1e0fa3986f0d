// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The cookies of one user for one server: name, value, path, and removal by Max-Age or Expires in the past (RFC 6265). */
final class CookieJar {
    private record Cookie(String name, String value, String path) {
        boolean goesTo(String target) {
            return target.equals(path) || path.equals("/")
                    || target.startsWith(path) && (path.endsWith("/") || "/?".indexOf(target.charAt(path.length())) >= 0);
        }
    }

    private final Clock clock;
    private final List<Cookie> cookies = new ArrayList<>(2);

    CookieJar(Clock clock) {
        this.clock = clock;
    }

    /** Takes one Set-Cookie header of a response to {@code target}. */
    void accept(String setCookie, String target) {
        String[] parts = setCookie.split(";");
        int equals = parts[0].indexOf('=');
        if (equals < 1) {
            return;
        }
        String name = parts[0].substring(0, equals).strip();
        String path = defaultPath(target);
        boolean gone = false;
        boolean maxAge = false;
        for (int i = 1; i < parts.length; i++) {
            String[] attribute = parts[i].strip().split("=", 2);
            String value = attribute.length == 2 ? attribute[1].strip() : "";
            switch (attribute[0].strip().toLowerCase(Locale.ROOT)) {
                case "path" -> path = value.startsWith("/") ? value : path;
                case "max-age" -> {
                    gone = value.startsWith("-") || value.equals("0");
                    maxAge = true;
                }
                case "expires" -> gone = maxAge ? gone : isPast(value);
                default -> { }
            }
        }
        Cookie fresh = new Cookie(name, parts[0].substring(equals + 1).strip(), path);
        cookies.removeIf(old -> old.name().equals(fresh.name()) && old.path().equals(fresh.path()));
        if (!gone) {
            cookies.add(fresh);
        }
    }

    /** Value of the Cookie header for a target, or null. */
    String header(String target) {
        StringBuilder line = new StringBuilder();
        for (Cookie cookie : cookies) {
            if (cookie.goesTo(target)) {
                line.append(line.isEmpty() ? "" : "; ").append(cookie.name()).append('=').append(cookie.value());
            }
        }
        return line.isEmpty() ? null : line.toString();
    }

    void clear() {
        cookies.clear();
    }

    private static String defaultPath(String target) {
        int query = target.indexOf('?');
        int slash = (query < 0 ? target : target.substring(0, query)).lastIndexOf('/');
        return slash <= 0 ? "/" : target.substring(0, slash);
    }

    private boolean isPast(String date) {
        try {
            String dashless = date.replace('-', ' ');
            return DateTimeFormatter.RFC_1123_DATE_TIME.parse(dashless, Instant::from).isBefore(clock.instant());
        } catch (DateTimeException unreadable) {
            return false;
        }
    }
}
