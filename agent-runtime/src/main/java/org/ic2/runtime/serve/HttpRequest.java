// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request as it came.
 *
 * @param path    decoded, without the query
 * @param query   decoded; empty when there is none
 * @param headers by their names in small letters; of one that is given twice the first
 * @param body    empty when there is none
 * @param peer    whose it is, in words; empty where that is not known
 */
public record HttpRequest(String method, String path, String query, Map<String, String> headers, byte[] body, String peer) {

    public HttpRequest(String method, String path, String query, Map<String, String> headers, byte[] body) {
        this(method, path, query, headers, body, "");
    }

    private static final int LONGEST_HEAD = 8 * 1024;
    private static final int LONGEST_BODY = 4 * 1024;
    private static final byte[] HEAD_ENDS = {'\r', '\n', '\r', '\n'};
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** What came is no request of ours; the message is for its sender. */
    static final class BadRequestException extends Exception {
        private final int code;

        BadRequestException(int code, String message) {
            super(message);
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    HttpRequest from(SocketAddress address) {
        return new HttpRequest(method, path, query, headers, body,
                address instanceof InetSocketAddress tcp ? tcp.getAddress().getHostAddress() : address.toString());
    }

    /** The value of a parameter in the query, the first where it is given twice. */
    public Optional<String> parameter(String name) {
        return Arrays.stream(query.split("&")).filter(part -> part.startsWith(name + "=")).findFirst()
                .map(part -> part.substring(name.length() + 1));
    }

    /**
     * Reads one, and nothing behind it.
     *
     * @throws EOFException when the connection ends before the request does
     */
    static HttpRequest read(ByteChannel channel) throws IOException, BadRequestException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST_HEAD + HEAD_ENDS.length + LONGEST_BODY);
        int end;
        int searched = 0;
        while ((end = headEnd(bytes, searched)) < 0) {
            if (bytes.position() > LONGEST_HEAD) {
                throw tooLong();
            }
            searched = bytes.position();
            more(channel, bytes);
        }
        if (end > LONGEST_HEAD) {
            throw tooLong();
        }
        String[] lines = new String(bytes.array(), 0, end, StandardCharsets.ISO_8859_1).split("\r\n");
        Map<String, String> headers = headers(lines);
        int length = length(headers);
        int start = end + HEAD_ENDS.length;
        if (bytes.position() - start < length && "100-continue".equalsIgnoreCase(headers.get("expect"))) {
            channel.write(ByteBuffer.wrap(CONTINUE));
        }
        while (bytes.position() - start < length) {
            more(channel, bytes);
        }
        return request(lines[0], headers, Arrays.copyOfRange(bytes.array(), start, start + length));
    }

    private static BadRequestException tooLong() {
        return new BadRequestException(431, "expected a request with a head of at most " + LONGEST_HEAD + " bytes");
    }

    private static void more(ByteChannel channel, ByteBuffer bytes) throws IOException {
        if (channel.read(bytes) < 0) {
            throw new EOFException("the connection ended in the middle of a request");
        }
    }

    /** Where the head ends; -1 if it does not yet. */
    private static int headEnd(ByteBuffer bytes, int searched) {
        for (int i = Math.max(0, searched - HEAD_ENDS.length); i + HEAD_ENDS.length <= bytes.position(); i++) {
            if (Arrays.equals(bytes.array(), i, i + HEAD_ENDS.length, HEAD_ENDS, 0, HEAD_ENDS.length)) {
                return i;
            }
        }
        return -1;
    }

    private static Map<String, String> headers(String[] lines) throws BadRequestException {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon < 1 || lines[i].substring(0, colon).chars().anyMatch(letter -> letter <= ' ')) {
                throw new BadRequestException(400, "expected headers of the form \"Name: value\"");
            }
            headers.putIfAbsent(lines[i].substring(0, colon).toLowerCase(Locale.ROOT), lines[i].substring(colon + 1).strip());
        }
        return headers;
    }

    private static int length(Map<String, String> headers) throws BadRequestException {
        if (headers.containsKey("transfer-encoding")) {
            throw new BadRequestException(411, "expected a body with a Content-Length");
        }
        String length = headers.getOrDefault("content-length", "0");
        if (!length.matches("\\d{1,9}")) {
            throw new BadRequestException(400, "expected a number as Content-Length");
        }
        if (Integer.parseInt(length) > LONGEST_BODY) {
            throw new BadRequestException(413, "expected a body of at most " + LONGEST_BODY + " bytes");
        }
        return Integer.parseInt(length);
    }

    private static HttpRequest request(String line, Map<String, String> headers, byte[] body) throws BadRequestException {
        String[] words = line.split(" ");
        if (words.length != 3 || !words[1].startsWith("/") || !words[2].startsWith("HTTP/1.")) {
            throw new BadRequestException(400, "expected a request such as \"GET /metrics HTTP/1.1\"");
        }
        try {
            // not as the whole of a URI, in which //name would be a host
            String target = words[1].replaceFirst("^/+", "/");
            URI uri = new URI(target);
            return new HttpRequest(words[0], uri.getPath(), Optional.ofNullable(uri.getQuery()).orElse(""), headers, body);
        } catch (URISyntaxException e) {
            throw new BadRequestException(400, "expected a path, got what is none: " + e.getReason());
        }
    }
}
