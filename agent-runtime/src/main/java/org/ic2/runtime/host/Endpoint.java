// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server listens: a TCP port or a Unix socket. */
public sealed interface Endpoint {

    /** A TCP address; {@code host} as the machine that connects resolves it. */
    record Tcp(String host, int port) implements Endpoint {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** A Unix socket by its absolute path. */
    record Unix(String path) implements Endpoint {
        @Override
        public String toString() {
            return path;
        }
    }

    Pattern HOST_PORT = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:/\\[\\]\\s]+):(\\d{1,5})");

    /** Reads {@code /path}, {@code unix:/path}, {@code host:port} or {@code [::1]:port}. */
    static Endpoint parse(String text) {
        String plain = text.startsWith("unix:") ? text.substring("unix:".length()) : text;
        if (plain.startsWith("/")) {
            return new Unix(plain);
        }
        Matcher tcp = HOST_PORT.matcher(plain);
        if (tcp.matches() && Integer.parseInt(tcp.group(2)) <= 65535) {
            String host = tcp.group(1);
            return new Tcp(host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                    Integer.parseInt(tcp.group(2)));
        }
        throw new IllegalArgumentException(
                "expected host:port or the absolute path of a Unix socket, got \"" + text + "\"");
    }
}
