// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A site: scheme, host and port.
 *
 * @param host as in the URL, in small letters; an IPv6 address without brackets
 */
public record WebSite(boolean secure, String host, int port) {

    private static final int LONGEST_TARGET = 2048;
    private static final Pattern HOST = Pattern.compile("[a-z0-9._-]{1,253}|[0-9a-f:.]{2,45}");
    private static final String UNSAFE = "\"<>\\^`{|}";

    /**
     * The URL of a page.
     *
     * @throws IllegalArgumentException when it is none of http or https, in one line
     */
    public static URI page(String url) {
        try {
            URI uri = new URI(url);
            if (uri.getHost() != null && List.of("http", "https").contains(uri.getScheme()) && uri.getRawFragment() == null
                    && uri.getRawUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // said below
        }
        throw new IllegalArgumentException("expected the URL of a page, such as http://localhost/, got \"" + url + "\"");
    }

    /** The site that a page is of. */
    public static WebSite of(URI page) {
        boolean secure = page.getScheme().equals("https");
        return new WebSite(secure, bare(page.getHost()), page.getPort() < 0 ? secure ? 443 : 80 : page.getPort());
    }

    private static String bare(String host) {
        return (host.startsWith("[") ? host.substring(1, host.length() - 1) : host).toLowerCase(Locale.ROOT);
    }

    /** What a request's {@code Host} says. */
    public String authority() {
        String name = host.contains(":") ? "[" + host + "]" : host;
        return port == (secure ? 443 : 80) ? name : name + ":" + port;
    }

    /** The whole URL. */
    public String url(String target) {
        return (secure ? "https://" : "http://") + authority() + target;
    }

    /** Path and query of a page, as they are sent. */
    public static String target(URI page) {
        return (page.getRawPath().isEmpty() ? "/" : page.getRawPath()) + (page.getRawQuery() == null ? "" : "?" + page.getRawQuery());
    }

    /** Path and query of a URL, if it is one of this site; without its fragment, and encoded as browsers do. */
    public Optional<String> inside(String url) {
        try {
            URL parsed = new URL(url.strip());
            boolean secured = parsed.getProtocol().equals("https");
            int itsPort = parsed.getPort() < 0 ? parsed.getDefaultPort() : parsed.getPort();
            if (!secured && !parsed.getProtocol().equals("http") || secured != secure || itsPort != port
                    || parsed.getUserInfo() != null || !bare(parsed.getHost()).equals(host)) {
                return Optional.empty();
            }
            String file = encoded(parsed.getFile());
            String target = file.startsWith("/") ? file : "/" + file;
            return target.length() <= LONGEST_TARGET ? Optional.of(target) : Optional.empty();
        } catch (MalformedURLException e) {
            return Optional.empty();
        }
    }

    /** The site of a URL, if that has this one's scheme and another host. */
    Optional<WebSite> sibling(String url) {
        try {
            URL parsed = new URL(url.strip());
            WebSite other = new WebSite(parsed.getProtocol().equals("https"), bare(parsed.getHost()),
                    parsed.getPort() < 0 ? parsed.getDefaultPort() : parsed.getPort());
            return parsed.getProtocol().equals(secure ? "https" : "http") && parsed.getUserInfo() == null
                    && HOST.matcher(other.host).matches() && !other.host.equals(host) ? Optional.of(other) : Optional.empty();
        } catch (MalformedURLException e) {
            return Optional.empty();
        }
    }

    private static String encoded(String file) {
        StringBuilder text = new StringBuilder();
        for (byte one : file.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (one & 0xff);
            if (letter > ' ' && letter < 0x7f && UNSAFE.indexOf(letter) < 0) {
                text.append(letter);
            } else {
                text.append(String.format("%%%02X", (int) letter));
            }
        }
        return text.toString();
    }
}
