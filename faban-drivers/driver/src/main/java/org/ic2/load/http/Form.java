// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The body of a form post.
 *
 * @param contentType value of Content-Type
 * @param body        encoded fields
 */
public record Form(String contentType, byte[] body) {
    /** Long enough never to occur in what we send, and the same in every run so that runs can be repeated. */
    private static final String BOUNDARY = "----ic2-load-7d3b0a5c9e1f42688a64c0f2";

    /**
     * A file of a form.
     *
     * @param field name of the field
     * @param name  file name that the server sees
     * @param type  media type
     * @param data  content
     */
    public record Upload(String field, String name, String type, byte[] data) {
    }

    /**
     * Encodes as application/x-www-form-urlencoded.
     *
     * @param fields names and values, in order
     */
    public static Form urlEncoded(Map<String, String> fields) {
        String body = fields.entrySet().stream()
                .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
                .collect(Collectors.joining("&"));
        return new Form("application/x-www-form-urlencoded", body.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Encodes as multipart/form-data with the files at the end.
     *
     * @param fields names and values, in order
     * @param files  in order
     */
    public static Form multipart(Map<String, String> fields, Upload... files) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(Arrays.stream(files).mapToInt(f -> f.data().length).sum() + 1024);
        fields.forEach((key, value) -> text(out, "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"" + key
                + "\"\r\n\r\n" + value + "\r\n"));
        for (Upload file : files) {
            text(out, "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"" + file.field() + "\"; filename=\""
                    + file.name() + "\"\r\nContent-Type: " + file.type() + "\r\n\r\n");
            out.writeBytes(file.data());
            text(out, "\r\n");
        }
        text(out, "--" + BOUNDARY + "--\r\n");
        return new Form("multipart/form-data; boundary=" + BOUNDARY, out.toByteArray());
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
