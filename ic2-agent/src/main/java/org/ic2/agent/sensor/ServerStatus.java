// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.sensor.Decimals;

/**
 * The machine-readable page of mod_status ({@code ?auto}), with the lines that httpd-online adds.
 *
 * @param fields    the page's {@code Key: value} lines; of a repeated key the last
 * @param variables httpd-online's online variables by name
 * @param header    what the answer's header {@link #LEVEL} says of the mitigation level; it comes from
 *                  httpd-online/docs/status.conf, on any httpd
 * @param wall      what its header {@link #WALL} says of the wall's flag; none where the site has no wall
 */
public record ServerStatus(Map<String, String> fields, Map<String, Integer> variables, OptionalInt header, OptionalInt wall) {

    /** The header of the answer in which httpd says which level of the ladder is in force. */
    public static final String LEVEL = "IC2-Mitigation";
    /** The same of the wall. */
    public static final String WALL = "IC2-Wall";

    /** The line of the page by which mod_standby tells that there is a wall. */
    public static final String FLAG = "StandbyWallFlag";
    /** What to do where none is, and one is asked for. */
    public static final String NO_WALL = "add the line \"StandbyWall flag\" to the main server of httpd's configuration (docs/wall.md),"
            + " or leave out \"wall: true\"";

    private static final String VARIABLE = "ReconfigureVariable";

    /**
     * Fetches the page.
     *
     * @throws IOException when it is not to be had, or no status page at all
     */
    public static ServerStatus of(HttpGet page) throws IOException, InterruptedException {
        try {
            HttpGet.Answer answer = page.answer();
            return parse(answer.body()).with(number(answer, LEVEL), number(answer, WALL));
        } catch (FileNotFoundException e) {
            throw new IOException(e.getMessage() + ": load mod_status and serve its page there; where an application's"
                    + " rewrite rules take every address for its own, in a virtual host of its own, as"
                    + " httpd-online/docs/status.conf has it", e);
        }
    }

    private static OptionalInt number(HttpGet.Answer answer, String header) {
        return answer.header(header).filter(text -> Decimals.are(text, 9)).map(text -> OptionalInt.of(Integer.parseInt(text)))
                .orElse(OptionalInt.empty());
    }

    /**
     * Reads the page.
     *
     * @throws IOException when it is no status page at all
     */
    public static ServerStatus parse(String page) throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        Map<String, Integer> variables = new LinkedHashMap<>();
        for (String line : BoundedText.lines(page, "the status page")) {
            int colon = line.indexOf(": ");
            if (colon <= 0) {
                continue;
            }
            String key = line.substring(0, colon);
            String value = line.substring(colon + 2).strip();
            if (key.equals(VARIABLE)) {
                int equals = value.indexOf('=');
                if (equals > 0 && Decimals.are(value.substring(equals + 1), 9)) {
                    variables.put(value.substring(0, equals), Integer.parseInt(value.substring(equals + 1)));
                }
            } else {
                fields.put(key, value);
            }
        }
        if (!fields.containsKey("BusyWorkers") && !fields.containsKey("Scoreboard")) {
            throw new IOException("expected mod_status' machine-readable page (does the URL end in ?auto?), got \""
                    + BoundedText.brief(page) + "\"");
        }
        return new ServerStatus(fields, variables, OptionalInt.empty(), OptionalInt.empty());
    }

    private ServerStatus with(OptionalInt level, OptionalInt flag) {
        return new ServerStatus(fields, variables, level, flag);
    }

    /** The wall's flag: the online variable of that name, or else what the header says. */
    public OptionalInt wall(String variable) {
        Integer value = variables.get(variable);
        return value == null ? wall : OptionalInt.of(value);
    }

    /** The mitigation level: the online variable of that name, or else what the header says. */
    public OptionalInt level(String variable) {
        Integer value = variables.get(variable);
        return value == null ? header : OptionalInt.of(value);
    }

    /** A number, when the page has it. */
    public OptionalDouble number(String key) {
        String text = fields.get(key);
        return text != null && Decimals.areNumber(text)
                ? OptionalDouble.of(Double.parseDouble(text)) : OptionalDouble.empty();
    }

    /** A whole number that fits into an int, when the page has it. */
    public OptionalInt integer(String key) {
        String text = fields.get(key);
        return text != null && Decimals.are(text, 9) ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
    }

    /** True when the server is httpd-online: only it prints its running values. */
    public boolean online() {
        return integer("MaxRequestWorkers").isPresent() && integer("KeepAliveTimeoutMs").isPresent();
    }

    /** Threads that wait for the next request of a kept-alive connection, of the scoreboard's letters. */
    public int keepAliveWorkers() {
        String scoreboard = fields.getOrDefault("Scoreboard", "");
        int waiting = 0;
        for (int i = scoreboard.indexOf('K'); i >= 0; i = scoreboard.indexOf('K', i + 1)) {
            waiting++;
        }
        return waiting;
    }
}
