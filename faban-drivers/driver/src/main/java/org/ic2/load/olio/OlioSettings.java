// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.ic2.load.http.ServerAddress;
import org.ic2.load.http.HttpUser;
import org.ic2.load.http.Tls;

/**
 * What run.xml says about server, client and workload, below the root element {@code olio}. Every value has a default but
 * host and port.
 *
 * @param http       server and client
 * @param seed       makes the load repeatable; null means another load each time
 * @param exponent   steepness of the popularity of events and tags
 * @param offset     flatness of its top
 * @param emptyCache probability that a user who logs in has an empty browser cache (Olio: 0.4)
 * @param attend     probability that a logged-in user attends the event that is shown (Olio: 0.1)
 * @param leave      probability that a logged-in user has left when the home page is asked for, so that an anonymous one
 *                   asks for it
 * @param files      whether the files of a page are fetched too
 */
record OlioSettings(HttpUser.Settings http, Long seed, double exponent, double offset, double emptyCache, double attend,
                    double leave, boolean files) {

    /**
     * Reads the settings.
     *
     * @param xPath gives the text at a path, empty when there is none
     * @throws IllegalArgumentException names the path, what was expected and what came
     */
    static OlioSettings read(Function<String, String> xPath) {
        Source source = new Source(xPath);
        boolean tls = source.choice("serverConfig/scheme", "http", "http", "https").equals("https");
        ServerAddress endpoint = new ServerAddress(tls, source.text("serverConfig/host", null),
                (int) source.number("serverConfig/port", Double.NaN, 1, 65535));
        double timeout = source.number("client/timeout", 30, 0.1, 3600);
        HttpUser.Settings http = new HttpUser.Settings(endpoint, tls ? tls(source) : null,
                source.choice("client/closeDetection", "eager", "eager", "lazy").equals("eager"),
                source.flag("client/gzip", true), Duration.ofMillis(Math.round(timeout * 1000)));
        return new OlioSettings(http, source.seed(),
                source.number("workload/popularityExponent", 1.1, 0.01, 10),
                source.number("workload/popularityOffset", 3, 0.01, 1e6),
                source.number("workload/emptyCache", 0.4, 0, 1),
                source.number("workload/attend", 0.1, 0, 1),
                source.number("workload/leave", 1, 0, 1),
                source.flag("workload/files", true));
    }

    private static Tls tls(Source source) {
        try {
            return Tls.of(source.text("client/tlsTrust", "system"), source.flag("client/tlsResume", true));
        } catch (IOException e) {
            throw new IllegalArgumentException("run configuration, /olio/client/tlsTrust: " + e.getMessage(), e);
        }
    }

    private record Source(Function<String, String> xPath) {
        String text(String path, String fallback) {
            String found = xPath.apply("/olio/" + path);
            String text = found == null ? "" : found.strip();
            if (text.isEmpty() && fallback == null) {
                throw wrong(path, "a value", "nothing");
            }
            return text.isEmpty() ? fallback : text;
        }

        String choice(String path, String fallback, String... allowed) {
            String text = text(path, fallback);
            for (String one : allowed) {
                if (one.equals(text)) {
                    return text;
                }
            }
            throw wrong(path, String.join(" or ", allowed), text);
        }

        boolean flag(String path, boolean fallback) {
            return choice(path, Boolean.toString(fallback), "true", "false").equals("true");
        }

        double number(String path, double fallback, double min, double max) {
            String text = text(path, Double.isNaN(fallback) ? null : Double.toString(fallback));
            try {
                double value = Double.parseDouble(text);
                if (value >= min && value <= max) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // the message below says what was expected
            }
            throw wrong(path, "a number in " + min + " .. " + max, text);
        }

        Long seed() {
            String text = text("seed", "");
            try {
                return text.isEmpty() ? null : Long.valueOf(text);
            } catch (NumberFormatException e) {
                throw wrong("seed", "an integer", text);
            }
        }

        private static IllegalArgumentException wrong(String path, String expected, String came) {
            return new IllegalArgumentException("run configuration, /olio/" + path + ": expected " + expected + ", got " + came);
        }
    }
}
