// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.HttpConfig;
import org.ic2.runtime.host.SecretFile;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpRequest;
import org.ic2.runtime.serve.TlsServer;

/** Who is answered: pages of other sites that a browser was lured to are not, whatever they call us, nor who lacks the token. */
final class HttpGuard {

    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(:\\d{1,5})?");
    private static final String LOOPBACK = "localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1]";
    private static final String ADDRESS = "\\d+\\.\\d+\\.\\d+\\.\\d+|\\[.*]";

    private final boolean local;
    private final Optional<TlsServer> tls;
    private final Supplier<AgentConfig> config;

    HttpGuard(HttpConfig listening, Optional<TlsServer> tls, Supplier<AgentConfig> config) {
        this.local = listening.isLocal();
        this.tls = tls;
        this.config = config;
    }

    /**
     * Why a request to look is not answered; empty when it is.
     *
     * @param free true for what is nobody's secret: the files of the page
     */
    Optional<Answer> refused(HttpRequest request, boolean free) {
        Optional<Answer> stranger = stranger(request);
        boolean open = local || free || http().map(HttpConfig::insecureReadOnly).orElse(false);
        return stranger.isPresent() || open ? stranger : withoutToken(request);
    }

    /** Why a request to change something is not carried out; empty when it is. */
    Optional<Answer> refusedChange(HttpRequest request) {
        Optional<Answer> stranger = stranger(request);
        if (stranger.isPresent()) {
            return stranger;
        }
        if (http().map(HttpConfig::insecureReadOnly).orElse(false)) {
            return Optional.of(Answer.text(403, "read-only: http.insecure-read-only lets nobody change things over HTTP"));
        }
        return config.get().tokenFile().isEmpty()
                ? Optional.of(Answer.text(403, "read-only: configure http.token-file to change things over HTTP")) : withoutToken(request);
    }

    private Optional<HttpConfig> http() {
        return config.get().http();
    }

    private Optional<Answer> stranger(HttpRequest request) {
        Matcher host = HOST.matcher(request.header("host").orElse(""));
        if (!host.matches() || !isOurs(host.group(1).toLowerCase(Locale.ROOT))) {
            return Optional.of(Answer.text(403, local && tls.isEmpty() ? "this interface answers to loopback addresses only"
                    : "this interface has another name: ask for one of the certificate, or add this one to http.names"));
        }
        return isForeign(request)
                ? Optional.of(Answer.text(403, "pages of other sites are not answered")) : Optional.empty();
    }

    /** A page that calls its own name ours (DNS rebinding) has that name in its request. */
    private boolean isOurs(String host) {
        return host.matches(LOOPBACK) || !local && host.matches(ADDRESS)
                || http().map(configured -> configured.names().contains(host)).orElse(false)
                || tls.isPresent() && tls.get().identity().isFor(host);
    }

    /** What a browser says of the page that asks; no page can say otherwise. */
    private boolean isForeign(HttpRequest request) {
        Optional<String> site = request.header("sec-fetch-site");
        if (site.isPresent()) {
            return !site.get().equals("same-origin") && !site.get().equals("none") && !isFollowed(request);
        }
        Optional<String> origin = request.header("origin");
        String own = (tls.isPresent() ? "https://" : "http://") + request.header("host").orElse("");
        return origin.isPresent() && !origin.get().equalsIgnoreCase(own);
    }

    /** A link may be anywhere: what it leads to a person reads, not the page that has it. A stream is nothing to read. */
    private static boolean isFollowed(HttpRequest request) {
        return !request.method().equals("POST") && !request.path().equals("/api/stream")
                && request.header("sec-fetch-mode").orElse("").equals("navigate")
                && request.header("sec-fetch-dest").orElse("").equals("document");
    }

    private Optional<Answer> withoutToken(HttpRequest request) {
        Optional<Path> file = config.get().tokenFile();
        if (file.isEmpty()) {
            return Optional.of(Answer.text(403, "http.token-file: there is none"));
        }
        try {
            boolean known = MessageDigest.isEqual(request.header("authorization").orElse("").getBytes(StandardCharsets.UTF_8),
                    ("Bearer " + SecretFile.read(file.get())).getBytes(StandardCharsets.UTF_8));
            return known ? Optional.empty() : Optional.of(Answer.text(401, "expected the header \"Authorization: Bearer TOKEN\"")
                    .with("WWW-Authenticate: Bearer"));
        } catch (IOException e) {
            return Optional.of(Answer.text(403, "http.token-file: " + e.getMessage()));
        }
    }
}
