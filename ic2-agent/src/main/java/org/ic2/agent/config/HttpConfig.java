// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.serve.TlsFiles;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * Where metrics, status and page are served, and to whom.
 *
 * @param listen           the address; beyond loopback only with {@code tls} and {@code tokenFile}, or read-only
 * @param tls              certificate and key; empty: plain HTTP
 * @param tokenFile        file with the token that requests to change something must carry, and beyond loopback those that only
 *                         read, too; empty: nothing is changed over HTTP
 * @param insecureReadOnly true when everybody who reaches it may read, and nobody may change anything
 * @param names            of this machine, by which it may be asked besides loopback's, addresses and those of the certificate
 */
public record HttpConfig(InetSocketAddress listen, Optional<TlsFiles> tls, Optional<Path> tokenFile, boolean insecureReadOnly,
        List<String> names) {

    private static final int DEFAULT_PORT = 9464;
    private static final String NAME = "[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?";

    /** True when only this machine can reach it. */
    public boolean isLocal() {
        return listen.getAddress().isLoopbackAddress();
    }

    /** Who may do what, in words for whoever did not mean it so. */
    public String reach() {
        String where = isLocal() ? "this machine" : "any machine that reaches " + listen.getAddress().getHostAddress() + ":" + listen.getPort();
        return "insecure-read-only: everybody on " + where + " may read metrics, status, samples and journal, "
                + (tls.isPresent() ? "without a token" : "without a token and in the clear") + "; nothing can be changed over HTTP";
    }

    /** What cannot change while the agent runs. */
    public List<Object> fixed() {
        return List.of(listen, tls, insecureReadOnly);
    }

    static HttpConfig read(YamlMap http) throws ConfigException {
        InetSocketAddress listen = http.parsed("listen", HttpConfig::address,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), DEFAULT_PORT));
        Optional<TlsFiles> tls = Optional.empty();
        if (http.has("tls")) {
            YamlMap files = http.map("tls");
            tls = Optional.of(new TlsFiles(files.parsed("certificate", Path::of), files.parsed("key", Path::of)));
            files.done();
        }
        Optional<Path> token = http.optionalParsed("token-file", Path::of);
        boolean readOnly = http.oneOf("insecure-read-only", "false", "false", "true").equals("true");
        List<String> names = http.has("names") ? http.texts("names") : List.of();
        for (String name : names) {
            if (!name.matches(NAME)) {
                throw http.error("names", "expected names of this machine such as web1.example, without a port, got \"" + name + "\"");
            }
        }
        http.done();
        HttpConfig config = new HttpConfig(listen, tls, token, readOnly, names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList());
        if (readOnly && token.isPresent()) {
            throw http.error("insecure-read-only", "nothing is changed over it, so a token-file has no use; take one of them away");
        }
        if (!config.isLocal() && !readOnly && (tls.isEmpty() || token.isEmpty())) {
            throw http.error("listen", "beyond loopback it takes \"tls: {certificate: FILE, key: FILE}\" and a token-file,"
                    + " or \"insecure-read-only: true\" for metrics and status that everybody there may read");
        }
        return config;
    }

    private static InetSocketAddress address(String text) {
        if (!(Endpoint.parse(text) instanceof Endpoint.Tcp tcp)) {
            throw new IllegalArgumentException("expected an address such as 127.0.0.1:9464, got \"" + text + "\"");
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(tcp.host()), tcp.port());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("cannot resolve \"" + text + "\"", e);
        }
    }
}
