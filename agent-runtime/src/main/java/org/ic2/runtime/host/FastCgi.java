// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** One request to a FastCGI server over a connection of its own: just enough of the protocol for a status page. */
public final class FastCgi {

    private static final int HEADER_BYTES = 8;
    private static final int VERSION = 1;
    private static final int REQUEST_ID = 1;
    private static final int BEGIN_REQUEST = 1;
    private static final int END_REQUEST = 3;
    private static final int PARAMS = 4;
    private static final int STDIN = 5;
    private static final int STDOUT = 6;
    private static final int ROLE_RESPONDER = 1;

    private FastCgi() {
    }

    /**
     * Asks for a path and returns the answer's body.
     *
     * @throws IOException when the server cannot be reached, does not speak FastCGI or answers with a status
     */
    public static String get(Host host, Endpoint endpoint, String path) throws IOException, InterruptedException {
        try (SocketChannel channel = host.connect(endpoint)) {
            ByteBuffer out = request(path);
            while (out.hasRemaining()) {
                channel.write(out);
            }
            return page(endpoint, channel);
        } catch (java.nio.channels.ClosedByInterruptException e) {
            throw new InterruptedException("interrupted while asking " + endpoint);
        }
    }

    /** The page in a server's answer. */
    static String page(Endpoint endpoint, ReadableByteChannel channel) throws IOException {
        return body(endpoint, readAnswer(endpoint, channel));
    }

    private static ByteBuffer request(String path) {
        byte[] params = params(Map.of("REQUEST_METHOD", "GET", "SCRIPT_NAME", path, "SCRIPT_FILENAME", path,
                "REQUEST_URI", path, "QUERY_STRING", "", "SERVER_PROTOCOL", "HTTP/1.1"));
        ByteBuffer out = ByteBuffer.allocate(5 * HEADER_BYTES + params.length);
        header(out, BEGIN_REQUEST, HEADER_BYTES);
        out.putShort((short) ROLE_RESPONDER).put((byte) 0).put(new byte[5]);
        header(out, PARAMS, params.length);
        out.put(params);
        header(out, PARAMS, 0);
        header(out, STDIN, 0);
        return out.flip();
    }

    private static void header(ByteBuffer out, int type, int length) {
        out.put((byte) VERSION).put((byte) type).putShort((short) REQUEST_ID).putShort((short) length).putShort((short) 0);
    }

    private static byte[] params(Map<String, String> pairs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        pairs.forEach((name, value) -> {
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            if (text.length > 127) {
                throw new IllegalArgumentException("expected a path of at most 127 bytes, got \"" + value + "\"");
            }
            bytes.write(name.length());
            bytes.write(text.length);
            bytes.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
            bytes.writeBytes(text);
        });
        return bytes.toByteArray();
    }

    private static String readAnswer(Endpoint endpoint, ReadableByteChannel channel) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        while (true) {
            fill(endpoint, channel, header.clear());
            int version = header.get(0);
            int type = header.get(1);
            int length = Short.toUnsignedInt(header.getShort(4));
            if (version != VERSION) {
                throw new IOException(endpoint + " does not speak FastCGI");
            }
            if (text.size() > BoundedText.PAGE_BYTES) {
                throw new IOException(endpoint + " answered more than " + BoundedText.size(BoundedText.PAGE_BYTES));
            }
            ByteBuffer content = ByteBuffer.allocate(length + Byte.toUnsignedInt(header.get(6)));
            fill(endpoint, channel, content);
            if (type == STDOUT) {
                text.write(content.array(), 0, length);
            } else if (type == END_REQUEST) {
                return text.toString(StandardCharsets.UTF_8);
            }
        }
    }

    private static void fill(Endpoint endpoint, ReadableByteChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException(endpoint + " closed the connection in the middle of its answer");
            }
        }
    }

    private static String body(Endpoint endpoint, String answer) throws IOException {
        int end = answer.indexOf("\r\n\r\n");
        String headers = end < 0 ? answer : answer.substring(0, end);
        if (end < 0 || headers.lines().anyMatch(line -> line.startsWith("Status:") && !line.contains(" 200"))) {
            throw new IOException(endpoint + " answered \"" + headers.lines().findFirst().orElse("nothing")
                    + "\" instead of a page");
        }
        return answer.substring(end + 4);
    }
}
