// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.Locale;
import java.util.Optional;

/** What of a line of the access log is looked at. The last three tell who asks: an address, a program, and whether there is a cookie. */
enum LogField {
    DURATION, STATUS, REQUEST, METHOD,
    /** What mod_cache says of a request. */
    CACHE,
    /** The same of the request as it came, where an error page of the site's own has answered it: httpd keeps the two apart. */
    FIRST_CACHE,
    /** What mitigation.conf says of who asks. */
    MEMBER,
    ADDRESS, AGENT, COOKIE;

    /**
     * What a directive of a LogFormat tells, but for duration and status; header names are the same in any case.
     *
     * @param argument in braces, with them; null if there is none
     * @param first    true for the request as it came, by the modifier {@code <}
     */
    static Optional<LogField> of(String argument, String letter, boolean first) {
        String name = argument == null ? "" : letter.equals("i") ? argument.toLowerCase(Locale.ROOT) : argument;
        return Optional.ofNullable(switch (letter + name) {
            case "r", "U" -> REQUEST;
            case "m" -> METHOD;
            case "e{cache-status}" -> first ? FIRST_CACHE : CACHE;
            case "e{REDIRECT_cache-status}" -> FIRST_CACHE;
            case "e{ic2_member}" -> MEMBER;
            case "h", "a" -> ADDRESS;
            case "i{user-agent}" -> AGENT;
            case "i{cookie}" -> COOKIE;
            default -> null;
        });
    }
}
