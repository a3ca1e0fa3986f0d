// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * A complete response.
 *
 * @param status  status code
 * @param headers fields as received, names in lower case
 * @param body    body as sent (perhaps compressed); empty when the request did not ask to keep it
 */
public record Response(int status, List<Field> headers, byte[] body) {
    /** Largest page that is looked into, bytes after decompression. */
    private static final int MAX_TEXT = 16 << 20;

    /**
     * One header field.
     *
     * @param name  name in lower case
     * @param value value without surrounding blanks
     */
    public record Field(String name, String value) {
    }

    /**
     * The first field of a name.
     *
     * @param name name in lower case
     * @return its value, or null when there is none
     */
    public String header(String name) {
        for (Field field : headers) {
            if (field.name().equals(name)) {
                return field.value();
            }
        }
        return null;
    }

    /**
     * The body, decompressed where it is compressed.
     *
     * @return a stream over the body
     * @throws IOException when the body claims to be gzip and is not, or uses another coding
     */
    public InputStream content() throws IOException {
        String coding = header("content-encoding");
        InputStream raw = new ByteArrayInputStream(body);
        if (coding == null || coding.equalsIgnoreCase("identity") || body.length == 0) {
            return raw;
        }
        if (coding.equalsIgnoreCase("gzip") || coding.equalsIgnoreCase("x-gzip")) {
            return new GZIPInputStream(raw, 4096);
        }
        throw new HttpFailure("Content-Encoding: expected gzip or none, got " + coding);
    }

    /**
     * The whole body as text.
     *
     * @return the body, decompressed, as UTF-8
     * @throws IOException as {@link #content()}
     */
    public String text() throws IOException {
        try (InputStream in = content()) {
            byte[] all = in.readNBytes(MAX_TEXT + 1);
            if (all.length > MAX_TEXT) {
                throw new HttpFailure("body: expected at most " + MAX_TEXT + " bytes after decompression, got more");
            }
            return new String(all, StandardCharsets.UTF_8);
        }
    }
}
