// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.ic2.load.http.HttpUser;
import org.ic2.load.http.ServerAddress;
import org.ic2.load.http.Tls;

/**
 * Reads what run.xml says below its root element. Each error is refused with the path, what was expected and what
 * came ({@link IllegalArgumentException}).
 *
 * @param root  name of the root element
 * @param xPath gives the text at a path, empty when there is none
 */
public record RunSettings(String root, Function<String, String> xPath) {

    /** Server and client; host and port have no default. */
    public HttpUser.Settings http() {
        boolean tls = choice("serverConfig/scheme", "http", "http", "https").equals("https");
        ServerAddress endpoint = new ServerAddress(tls, text("serverConfig/host", null),
                (int) number("serverConfig/port", Double.NaN, 1, 65535));
        double timeout = number("client/timeout", 30, 0.1, 3600);
        return new HttpUser.Settings(endpoint, tls ? tls() : null,
                choice("client/closeDetection", "eager", "eager", "lazy").equals("eager"),
                flag("client/gzip", true), Duration.ofMillis(Math.round(timeout * 1000)), flag("client/keepAlive", true));
    }

    private Tls tls() {
        try {
            return Tls.of(text("client/tlsTrust", "system"), flag("client/tlsResume", true));
        } catch (IOException e) {
            throw new IllegalArgumentException("run configuration, /" + root + "/client/tlsTrust: " + e.getMessage(), e);
        }
    }

    /** A text; null as fallback means that it has to be there. */
    public String text(String path, String fallback) {
        String found = xPath.apply("/" + root + "/" + path);
        String text = found == null ? "" : found.strip();
        if (text.isEmpty() && fallback == null) {
            throw wrong(path, "a value", "nothing");
        }
        return text.isEmpty() ? fallback : text;
    }

    /** One of several words. */
    public String choice(String path, String fallback, String... allowed) {
        String text = text(path, fallback);
        for (String one : allowed) {
            if (one.equals(text)) {
                return text;
            }
        }
        throw wrong(path, String.join(" or ", allowed), text);
    }

    /** True or false. */
    public boolean flag(String path, boolean fallback) {
        return choice(path, Boolean.toString(fallback), "true", "false").equals("true");
    }

    /** A number; NaN as fallback means that it has to be there. */
    public double number(String path, double fallback, double min, double max) {
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

    /** What makes the load repeatable; null means another load each time. */
    public Long seed() {
        String text = text("seed", "");
        try {
            return text.isEmpty() ? null : Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw wrong("seed", "an integer", text);
        }
    }

    /** The refusal of a value. */
    public IllegalArgumentException wrong(String path, String expected, String came) {
        return new IllegalArgumentException("run configuration, /" + root + "/" + path + ": expected " + expected + ", got " + came);
    }
}
