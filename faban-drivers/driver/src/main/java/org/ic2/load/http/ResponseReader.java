// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Reads one response (RFC 9112) and refuses what is not one. */
final class ResponseReader {
    /** Largest head, bytes. */
    static final int MAX_HEAD = 64 << 10;
    /** Largest body, bytes as sent. */
    static final int MAX_BODY = 16 << 20;
    private static final int PIECE = 16 << 10;
    private static final int MAX_INTERIM = 8;
    private static final byte[] NOTHING = {};

    /**
     * A response, and whether the connection may be used again.
     *
     * @param response what came
     * @param reusable whether another exchange may follow
     */
    record Result(Response response, boolean reusable) {
    }

    private final Connection in;
    private final boolean keepBody;
    private int headBytes;
    private byte[] body = NOTHING;
    private int bodyBytes;

    private ResponseReader(Connection in, boolean keepBody) {
        this.in = in;
        this.keepBody = keepBody;
    }

    /**
     * Reads the response to the request just sent.
     *
     * @throws StaleConnection when the connection ended before the first byte
     * @throws HttpFailure     when it ended later, took too long, or sent something else than HTTP
     */
    static Result read(Connection in, boolean keepBody) throws IOException {
        return new ResponseReader(in, keepBody).read();
    }

    private Result read() throws IOException {
        for (int i = 0; i < MAX_INTERIM; i++) {
            String statusLine = line(true);
            int status = status(statusLine);
            List<Response.Field> headers = headers();
            if (status >= 100 && status < 200) {
                continue;
            }
            Response head = new Response(status, headers, NOTHING);
            boolean reusable = body(head) && persistent(statusLine, head);
            return new Result(new Response(status, headers, Arrays.copyOf(body, bodyBytes)), reusable);
        }
        throw new HttpFailure("expected a final answer, got " + MAX_INTERIM + " interim ones");
    }

    private static int status(String line) throws HttpFailure {
        boolean ok = line.length() >= 12 && line.startsWith("HTTP/1.") && line.charAt(8) == ' '
                && (line.length() == 12 || line.charAt(12) == ' ');
        int status = 0;
        for (int i = 9; ok && i < 12; i++) {
            ok = line.charAt(i) >= '0' && line.charAt(i) <= '9';
            status = status * 10 + line.charAt(i) - '0';
        }
        if (!ok || status < 100) {
            throw new HttpFailure("expected a status line 'HTTP/1.1 200 ...', got '" + shown(line) + "'");
        }
        return status;
    }

    private static boolean persistent(String statusLine, Response head) {
        String connection = head.header("connection");
        String wish = connection == null ? "" : connection.toLowerCase(Locale.ROOT);
        return statusLine.charAt(7) == '0' ? wish.contains("keep-alive") : !wish.contains("close");
    }

    private List<Response.Field> headers() throws IOException {
        List<Response.Field> headers = new ArrayList<>(12);
        for (String line = line(false); !line.isEmpty(); line = line(false)) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new HttpFailure("expected a header 'Name: value', got '" + shown(line) + "'");
            }
            headers.add(new Response.Field(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip()));
        }
        return headers;
    }

    /** Reads the body; false when only the end of the connection could end it. */
    private boolean body(Response head) throws IOException {
        if (head.status() == 204 || head.status() == 304) {
            return true;
        }
        String coding = head.header("transfer-encoding");
        if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) {
                throw new HttpFailure("Transfer-Encoding: expected chunked, got '" + shown(coding) + "'");
            }
            chunked();
            return true;
        }
        String length = head.header("content-length");
        if (length != null) {
            exactly(checked(number(length, 10, "Content-Length")));
            return true;
        }
        long total = 0;
        for (long n = some(PIECE); n >= 0; n = some(PIECE)) {
            total = checked(total + n);
        }
        return false;
    }

    private void chunked() throws IOException {
        long total = 0;
        while (true) {
            String line = line(false);
            int extension = line.indexOf(';');
            long size = number((extension < 0 ? line : line.substring(0, extension)).strip(), 16, "chunk size");
            if (size == 0) {
                headers();
                return;
            }
            total = checked(total + size);
            exactly(size);
            if (!line(false).isEmpty()) {
                throw new HttpFailure("expected the end of a chunk of " + size + " bytes, got more");
            }
        }
    }

    private static long number(String text, int radix, String what) throws HttpFailure {
        long value = -1;
        if (!text.isEmpty() && text.length() <= 15 && text.charAt(0) != '+' && text.charAt(0) != '-') {
            try {
                value = Long.parseLong(text, radix);
            } catch (NumberFormatException e) {
                value = -1;
            }
        }
        if (value < 0) {
            throw new HttpFailure(what + ": expected a number, got '" + shown(text) + "'");
        }
        return value;
    }

    private static long checked(long bytes) throws HttpFailure {
        if (bytes > MAX_BODY) {
            throw new HttpFailure("body: expected at most " + MAX_BODY + " bytes, got more");
        }
        return bytes;
    }

    private void exactly(long length) throws IOException {
        for (long left = length; left > 0; ) {
            long n = some(left);
            if (n < 0) {
                throw new HttpFailure("body: expected " + length + " bytes, the connection ended " + left + " before that");
            }
            left -= n;
        }
    }

    /** Reads or drops some bytes of the body; -1 at the end of the connection. */
    private long some(long atMost) throws IOException {
        if (!keepBody) {
            return in.skip(atMost);
        }
        int room = (int) Math.min(atMost, PIECE);
        if (body.length < bodyBytes + room) {
            body = Arrays.copyOf(body, Math.max(bodyBytes + room, Math.min(body.length * 2, MAX_BODY)));
        }
        int n = in.read(body, bodyBytes, room);
        bodyBytes += Math.max(n, 0);
        return n;
    }

    private String line(boolean first) throws IOException {
        byte[] line = new byte[128];
        int n = 0;
        while (true) {
            int b = in.read();
            if (b < 0) {
                if (first && n == 0) {
                    throw new StaleConnection("the server closed without an answer", null);
                }
                throw new HttpFailure("the connection ended in the middle of a head");
            }
            if (++headBytes > MAX_HEAD) {
                throw new HttpFailure("head: expected at most " + MAX_HEAD + " bytes, got more");
            }
            if (b == '\n') {
                int end = n > 0 && line[n - 1] == '\r' ? n - 1 : n;
                return new String(line, 0, end, StandardCharsets.ISO_8859_1);
            }
            if (n == line.length) {
                line = Arrays.copyOf(line, n * 2);
            }
            line[n++] = (byte) b;
        }
    }

    /** Text from the wire, cut and without control characters, for a message. */
    private static String shown(String text) {
        String cut = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return cut.replaceAll("[^ -~]", "?");
    }
}
