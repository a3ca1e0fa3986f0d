// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * What a server answered.
 *
 * @param status  such as 200
 * @param headers in their order
 * @param body    plain, or as its Content-Encoding says
 * @param cut     true when the body is longer than was allowed, so that this is its beginning
 * @param client  the address of ours that asked
 */
public record WebAnswer(int status, List<Header> headers, byte[] body, boolean cut, InetAddress client) {

    /** The size and the time of a file. */
    private static final Pattern FILE_TAG = Pattern.compile("(?:W/)?\"[0-9a-f]+-[0-9a-f]+(?:-gzip|-br|;gzip|;br)?\"");

    /** One header. */
    public record Header(String name, String value) {
    }

    public WebAnswer {
        headers = List.copyOf(headers);
    }

    /** The first value of a header, in whatever case its name is. */
    public Optional<String> header(String name) {
        return headers.stream().filter(header -> header.name().equalsIgnoreCase(name)).map(Header::value).findFirst();
    }

    /** All values of a header. */
    public List<String> all(String name) {
        return headers.stream().filter(header -> header.name().equalsIgnoreCase(name)).map(Header::value).toList();
    }

    /** True for HTML, whatever its charset. */
    public boolean isHtml() {
        return header("Content-Type").map(type -> type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT)).orElse("").equals("text/html");
    }

    /** True for a file that the web server itself sends, as httpd and nginx say it. */
    public boolean isFile() {
        return header("Accept-Ranges").filter("bytes"::equals).isPresent() && header("Last-Modified").isPresent()
                && header("ETag").filter(tag -> FILE_TAG.matcher(tag).matches()).isPresent();
    }

    /** True if a cache says that it has answered ({@code X-Cache: HIT}). */
    public boolean isHit() {
        return header("X-Cache").filter(said -> said.toUpperCase(Locale.ROOT).startsWith("HIT")).isPresent();
    }

    /** The names of the cookies that it sets. */
    public List<String> cookieNames() {
        return all("Set-Cookie").stream().map(cookie -> cookie.split("[=;]", 2)[0].strip()).distinct().toList();
    }

    /**
     * What a page says that it was made by, such as {@code MediaWiki 1.39.7}; none where it says nothing.
     *
     * @param html its plain body
     */
    public List<String> generators(byte[] html) {
        return PageLinks.parsed(html, this, "").map(PageLinks::generators).orElse(List.of());
    }

    /**
     * The body without its gzip.
     *
     * @param most bytes; a longer one is cut there
     * @throws IOException when it is broken
     */
    public byte[] plain(int most) throws IOException {
        if (!header("Content-Encoding").orElse("").strip().equalsIgnoreCase("gzip") || body.length == 0) {
            return body;
        }
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readNBytes(most);
        }
    }
}
