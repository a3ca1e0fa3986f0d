// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Somebody without a cookie, with the headers of a browser. */
enum Stranger {

    /** Chrome on Windows, German. */
    CHROME("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Chrome/131.0.0.0 Safari/537.36", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
            + "image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7", Map.of("Sec-CH-UA",
            "\"Google Chrome\";v=\"131\", \"Chromium\";v=\"131\", \"Not_A Brand\";v=\"24\"", "Sec-CH-UA-Mobile", "?0", "Sec-CH-UA-Platform", "\"Windows\"")),
    /** Firefox on Linux, English. */
    FIREFOX("en-US,en;q=0.5", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8",
            Map.of("DNT", "1", "Priority", "u=0, i"));

    private final String language;
    private final String browser;
    private final String accepted;
    private final Map<String, String> own;

    Stranger(String language, String browser, String accepted, Map<String, String> own) {
        this.language = language;
        this.browser = browser;
        this.accepted = accepted;
        this.own = own;
    }

    /** The headers of a request. No Accept-Encoding, so that what comes is plain. */
    Map<String, String> headers(String referer) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("User-Agent", browser);
        headers.put("Accept", accepted);
        headers.put("Accept-Language", language);
        headers.putAll(own);
        headers.put("Upgrade-Insecure-Requests", "1");
        headers.put("Sec-Fetch-Dest", "document");
        headers.put("Sec-Fetch-Mode", "navigate");
        headers.put("Sec-Fetch-User", "?1");
        headers.put("Sec-Fetch-Site", referer.isEmpty() ? "none" : "same-origin");
        if (!referer.isEmpty()) {
            headers.put("Referer", referer);
        }
        return headers;
    }

    /** What must not be found in an answer, by what it is. */
    List<Map.Entry<String, String>> secrets(String address) {
        return List.of(Map.entry("the client's address", address), Map.entry("User-Agent", browser), Map.entry("Accept-Language", language));
    }
}
