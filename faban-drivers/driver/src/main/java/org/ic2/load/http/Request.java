// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

/**
 * A request to the endpoint of the client.
 *
 * @param method      GET or POST
 * @param path        path with query, starting with a slash
 * @param contentType type of the body, null when there is none
 * @param body        body, empty when there is none
 * @param keepBody    whether the caller will look at the response's body; otherwise it is read and dropped
 * @param since       the answer is wanted only if it has changed since this HTTP date; null: in any case
 */
public record Request(String method, String path, String contentType, byte[] body, boolean keepBody, String since) {
    private static final byte[] NOTHING = {};

    /** Refuses a path that would break the request line. */
    public Request {
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException("path: expected /... of visible ASCII, got " + path);
        }
    }

    /** A page: its body is kept. */
    public static Request page(String path) {
        return new Request("GET", path, null, NOTHING, true, null);
    }

    /** A file whose body is not read. */
    public static Request file(String path) {
        return new Request("GET", path, null, NOTHING, false, null);
    }

    /** The same, if it has changed since an HTTP date; otherwise the answer is a 304. */
    public static Request fileIfChanged(String path, String since) {
        return new Request("GET", path, null, NOTHING, false, since);
    }

    /** A form. */
    public static Request post(String path, Form form) {
        return new Request("POST", path, form.contentType(), form.body(), true, null);
    }
}
