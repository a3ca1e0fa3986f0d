// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import org.ic2.agent.crawl.WebAnswer.Header;
import org.ic2.runtime.host.BoundedText;

/** Reads one answer of HTTP/1: as long as it says, in chunks, or until the server closes. What is broken is an error. */
final class AnswerReader {

    private static final int MOST_HEAD_BYTES = 64 * 1024;
    private static final int MOST_INTERIM = 8;

    private final InputStream in;
    private final InetAddress client;
    private int headBytes;

    /** @param millisLeft until the answer must be there, at least 1 */
    AnswerReader(Socket socket, IntSupplier millisLeft) throws IOException {
        this(new BufferedInputStream(new FilterInputStream(socket.getInputStream()) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                socket.setSoTimeout(millisLeft.getAsInt());
                return super.read(bytes, offset, length);
            }
        }), socket.getLocalAddress());
    }

    /** @param client the address of ours that asked */
    AnswerReader(InputStream in, InetAddress client) {
        this.in = in;
        this.client = client;
    }

    /**
     * Reads it.
     *
     * @param most     bytes of the body; the rest is left unread
     * @param htmlOnly true: the body of anything else is left unread
     */
    WebAnswer read(int most, boolean htmlOnly) throws IOException {
        int status = status();
        List<Header> headers = headers();
        for (int interim = 0; status >= 100 && status < 200; interim++) {
            if (interim == MOST_INTERIM || status == 101) {
                throw new IOException("expected an answer, got status " + status);
            }
            status = status();
            headers = headers();
        }
        WebAnswer head = new WebAnswer(status, headers, new byte[0], false, client);
        boolean empty = status == 204 || status == 304 || htmlOnly && !head.isHtml();
        if (empty) {
            return head;
        }
        boolean chunked = head.header("Transfer-Encoding").filter(coding -> coding.toLowerCase(Locale.ROOT).contains("chunked")).isPresent();
        byte[] body = chunked ? chunks(most) : head.header("Content-Length").isPresent() ? exactly(head.header("Content-Length").get(), most)
                : in.readNBytes(most + 1);
        return body.length <= most ? new WebAnswer(status, headers, body, false, client)
                : new WebAnswer(status, headers, Arrays.copyOf(body, most), true, client);
    }

    private int status() throws IOException {
        String line = line();
        if (!line.matches("HTTP/1\\.[0-9] [0-9]{3}( .*)?")) {
            throw new IOException("expected an answer of HTTP/1, got \"" + BoundedText.brief(line) + "\"");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private List<Header> headers() throws IOException {
        List<Header> headers = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.add(new Header(line.substring(0, colon).strip(), line.substring(colon + 1).strip()));
            }
        }
        return headers;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int one = in.read(); one != '\n'; one = in.read()) {
            if (one < 0) {
                throw new EOFException(headBytes == 0 ? "the server closed without an answer" : "the answer ended in its header");
            }
            if (++headBytes > MOST_HEAD_BYTES) {
                throw new IOException("the answer's header is longer than " + MOST_HEAD_BYTES / 1024 + " KB");
            }
            line.write(one);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private byte[] exactly(String length, int most) throws IOException {
        if (!length.matches("[0-9]{1,15}")) {
            throw new IOException("expected a Content-Length, got \"" + BoundedText.brief(length) + "\"");
        }
        long whole = Long.parseLong(length);
        byte[] body = in.readNBytes((int) Math.min(whole, most + 1L));
        if (body.length < Math.min(whole, most + 1L)) {
            throw new EOFException("the answer ended after " + body.length + " of " + whole + " bytes");
        }
        return body;
    }

    private byte[] chunks(int most) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (body.size() <= most) {
            headBytes = 0;
            String size = line().split(";", 2)[0].strip();
            if (!size.matches("[0-9a-fA-F]{1,7}")) {
                throw new IOException("expected the size of a chunk, got \"" + BoundedText.brief(size) + "\"");
            }
            int length = Integer.parseInt(size, 16);
            if (length == 0) {
                break;
            }
            int wanted = Math.min(length, most + 1 - body.size());
            byte[] chunk = in.readNBytes(wanted);
            body.write(chunk);
            if (chunk.length < wanted) {
                throw new EOFException("the answer ended within a chunk");
            }
            if (wanted == length && !line().isEmpty()) {
                throw new IOException("expected the end of a chunk");
            }
        }
        return body.toByteArray();
    }
}
