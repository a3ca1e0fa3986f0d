// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.ic2.agent.application.WebApplication;
import org.ic2.agent.crawl.WebAnswer;

/** An answer without what an application's entry says to mean nothing, for a comparison as mod_standby makes it. */
public final class MaskedAnswer {

    private static final int LONGEST_MASK = 512;
    private static final int MOST_BYTES = 2 * 1024 * 1024;
    private static final Pattern COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);
    private static final List<String> OF_THE_MOMENT = List.of("date", "age", "expires", "content-length", "connection", "keep-alive",
            "transfer-encoding", "etag", "last-modified", "x-cache");

    private MaskedAnswer() {
    }

    /** True if two answers are the same but for what means nothing. */
    public static boolean same(WebAnswer one, WebAnswer other, WebApplication.Answers rules) throws IOException {
        return one.status() == other.status() && headers(one, rules).equals(headers(other, rules))
                && body(one, rules).equals(body(other, rules));
    }

    private static Map<String, String> headers(WebAnswer answer, WebApplication.Answers rules) {
        Map<String, String> headers = new TreeMap<>();
        answer.headers().forEach(header -> headers.merge(header.name().toLowerCase(Locale.ROOT), header.value(), (a, b) -> a + ", " + b));
        headers.keySet().removeAll(OF_THE_MOMENT);
        rules.ignoredHeaders().forEach(name -> {
            String expression = Pattern.quote(name.toLowerCase(Locale.ROOT)).replace("*", "\\E.*\\Q");
            headers.keySet().removeIf(header -> header.matches(expression));
        });
        return headers;
    }

    private static String body(WebAnswer answer, WebApplication.Answers rules) throws IOException {
        String text = new String(answer.plain(MOST_BYTES), StandardCharsets.ISO_8859_1);
        for (WebApplication.Mask mask : rules.masks()) {
            text = without(text, mask);
        }
        return COMMENT.matcher(text).results().map(found -> found.group().replaceAll("\\d+", ""))
                .collect(Collectors.joining()) + COMMENT.matcher(text).replaceAll("<!-->");
    }

    private static String without(String text, WebApplication.Mask mask) {
        StringBuilder masked = new StringBuilder();
        int done = 0;
        for (int begin = text.indexOf(mask.begin()); begin >= 0; begin = text.indexOf(mask.begin(), done)) {
            int inside = begin + mask.begin().length();
            int end = text.indexOf(mask.end(), inside);
            masked.append(text, done, inside);
            done = end < 0 || end - inside > LONGEST_MASK ? inside : end;
        }
        return masked.append(text, done, text.length()).toString();
    }
}
