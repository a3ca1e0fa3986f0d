// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.net.URI;
import java.util.Optional;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.PageAccess;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * Where HAProxy's statistics are asked for, and for whom.
 *
 * @param socket  HAProxy's stats socket; empty: the page is asked
 * @param url     of the page as CSV; empty: the socket is asked
 * @param access  to the page
 * @param backend of the servers
 * @param server  this one's name
 * @param weight  the weight that all servers have in HAProxy's file; empty where the socket says it
 */
public record HaproxySource(Optional<Endpoint> socket, Optional<URI> url, PageAccess access, String backend, String server,
        Optional<Integer> weight) {

    private static final String NAME = "[A-Za-z0-9_.:-]{1,64}";
    private static final int MOST_WEIGHT = 256;

    /** Reads the keys {@code socket}, or {@code url} with what it takes, {@code backend} and {@code server}. */
    public static HaproxySource parse(YamlMap settings) throws ConfigException {
        Optional<Endpoint> socket = settings.optionalParsed("socket", Endpoint::parse);
        Optional<URI> url = settings.optionalParsed("url", PageAccess::uri);
        if (socket.isPresent() == url.isPresent()) {
            throw settings.error(url.isPresent() ? "url" : "socket", url.isPresent() ? "expected no socket beside it"
                    : "missing, and no url in its place: HAProxy's \"stats socket\", or the URL of its stats page as CSV");
        }
        for (String key : PageKeys.ALL) {
            if (settings.has(key) && url.isEmpty()) {
                throw settings.error(key, "expected it with url only: a socket has neither TLS nor passwords");
            }
        }
        PageAccess access = url.isPresent() ? PageKeys.access(settings, url.get()) : PageAccess.OPEN;
        Optional<Integer> weight = url.isEmpty() ? Optional.empty() : Optional.of(settings.integer("weight"));
        if (weight.isPresent() && (weight.get() < 1 || weight.get() > MOST_WEIGHT)) {
            throw settings.error("weight", "expected the weight of the servers' lines, 1 to " + MOST_WEIGHT + ", got " + weight.get());
        }
        return new HaproxySource(socket, url, access, settings.parsed("backend", HaproxySource::name),
                settings.parsed("server", HaproxySource::name), weight);
    }

    private static String name(String text) {
        if (!text.matches(NAME)) {
            throw new IllegalArgumentException("expected a name of HAProxy's file, got \"" + text + "\"");
        }
        return text;
    }

    @Override
    public String toString() {
        return socket.map(Endpoint::toString).orElseGet(() -> url.orElseThrow().toString());
    }
}
