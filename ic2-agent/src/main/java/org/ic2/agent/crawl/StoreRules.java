// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What an answer itself says about whether it may be shared between visitors; as mod_standby judges it. */
final class StoreRules {

    private static final Pattern PRIVATE = Pattern.compile("(?i)(?:private|no-store|no-cache)(?:\\s*=.*)?|s-maxage\\s*=\\s*\"?0+\"?");
    private static final Pattern HAS_AGE = Pattern.compile("(?i).*(?:s-maxage|max-age)\\s*=.*");
    /** What mod_standby makes of a page that it may store: {@code StandbySharedAge rewrite}. */
    private static final String REWRITTEN = "s-maxage=0, must-revalidate, max-age=0";
    /** Of these it knows all values. */
    private static final Set<String> VARIES_WELL = Set.of("accept-encoding", "accept", "cookie", "host");
    private static final List<String> CONTROLS = List.of("Cache-Control", "Surrogate-Control", "CDN-Cache-Control");
    private static final List<String> OF_ONE_VISITOR = List.of("WWW-Authenticate", "Authentication-Info", "Clear-Site-Data", "Content-Range");

    private StoreRules() {
    }

    /**
     * The headers that forbid it, as {@code Name: value}; none when it may be shared.
     *
     * @param now the time of the answer
     */
    static List<String> forbidden(WebAnswer answer, Instant now) {
        List<String> found = new ArrayList<>();
        for (String name : CONTROLS) {
            answer.all(name).stream().filter(value -> isPrivate(value) && !(value.equals(REWRITTEN) && answer.header("X-Cache").isPresent()))
                    .forEach(value -> found.add(name + ": " + value));
        }
        answer.all("Pragma").stream().filter(value -> value.toLowerCase(Locale.ROOT).contains("no-cache"))
                .forEach(value -> found.add("Pragma: " + value));
        boolean aged = answer.all("Cache-Control").stream().anyMatch(value -> HAS_AGE.matcher(value).matches());
        answer.header("Expires").filter(value -> !aged && isPast(value, now)).ifPresent(value -> found.add("Expires: " + value));
        answer.all("Vary").stream().filter(value -> words(value).anyMatch(word -> !VARIES_WELL.contains(word.toLowerCase(Locale.ROOT))))
                .forEach(value -> found.add("Vary: " + value));
        OF_ONE_VISITOR.stream().filter(name -> answer.header(name).isPresent()).forEach(found::add);
        return found.stream().distinct().toList();
    }

    private static boolean isPrivate(String control) {
        return words(control).anyMatch(word -> PRIVATE.matcher(word).matches());
    }

    private static Stream<String> words(String value) {
        return Stream.of(value.split(",")).map(String::strip).filter(word -> !word.isEmpty());
    }

    /** An old way to say no-cache; a clock that goes wrong by hours is forgiven. */
    private static boolean isPast(String expires, Instant now) {
        try {
            return ZonedDateTime.parse(expires, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().isBefore(now.minus(Duration.ofDays(1)));
        } catch (DateTimeException e) {
            return true;    // 0, -1
        }
    }
}
