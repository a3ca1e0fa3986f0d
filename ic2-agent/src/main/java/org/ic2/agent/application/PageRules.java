// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which of a site's addresses the directives of an application let into the store, by the same rules as mod_standby: what is
 * not named passes the store by. Immutable.
 */
public final class PageRules {

    /** mod_standby's own list of parameters that change nothing. */
    private static final List<String> EVERYBODYS = List.of("utm_*", "mtm_*", "ptm_*", "pk_*", "fbclid", "gclid", "gclsrc", "dclid",
            "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "li_fat_id", "igshid", "mc_cid", "mc_eid", "_gl");
    private static final int MOST_DISTINGUISHING = 4;

    private final WebApplication application;

    public PageRules(WebApplication application) {
        this.application = application;
    }

    /** The pattern of pages that an address is of, if it may be stored. */
    public Optional<String> pattern(String target) {
        int mark = target.indexOf('?');
        Optional<String> path = decoded(mark < 0 ? target : target.substring(0, mark), false);
        if (path.isEmpty() || path.get().contains("//") || !allowed(path.get()) || mark >= 0 && !parameters(target.substring(mark + 1))) {
            return Optional.empty();
        }
        return application.pages().patterns().stream().filter(pattern -> matches(pattern, path.get(), false)).findFirst();
    }

    private boolean parameters(String query) {
        Set<String> names = new HashSet<>();
        int distinguishing = 0;
        for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String name = parameter.split("=", 2)[0];
            boolean distinguishes = any(application.parameters().distinguishing(), name, false);
            if (!distinguishes && !any(application.parameters().harmless(), name, false) && !any(EVERYBODYS, name, false)) {
                return false;
            }
            Optional<String> value = decoded(parameter.contains("=") ? parameter.split("=", 2)[1] : "", true);
            if (distinguishes && (++distinguishing > MOST_DISTINGUISHING || !names.add(name)) || value.isEmpty() || !allowed(value.get())) {
                return false;
            }
        }
        return true;
    }

    private boolean allowed(String text) {
        return !any(application.pages().except(), text, true) && inNamespace(text);
    }

    private boolean inNamespace(String text) {
        int colon = text.indexOf(':');
        return colon < 0 || application.pages().namespaces().isEmpty() || application.pages().namespaces().contains(
                text.substring(text.lastIndexOf('/', colon) + 1, colon).replace(' ', '_'));
    }

    private static boolean any(List<String> patterns, String text, boolean fold) {
        return patterns.stream().anyMatch(pattern -> matches(pattern, text, fold));
    }

    /** {@code *} stands for any letters. Takes time in proportion to pattern and text, whatever they are. */
    static boolean matches(String pattern, String text, boolean fold) {
        int at = 0;
        int star = -1;
        int retry = 0;
        for (int i = 0; i < text.length() || at < pattern.length();) {
            if (at < pattern.length() && pattern.charAt(at) == '*') {
                star = at++;
                retry = i;
            } else if (i < text.length() && at < pattern.length() && same(pattern.charAt(at), text.charAt(i), fold)) {
                at++;
                i++;
            } else if (star >= 0 && retry < text.length()) {
                at = star + 1;
                i = ++retry;
            } else {
                return false;
            }
        }
        return true;
    }

    private static boolean same(char one, char other, boolean fold) {
        return one == other || fold && one < 0x80 && other < 0x80 && Character.toLowerCase(one) == Character.toLowerCase(other);
    }

    /** Empty for what is not encoded well. */
    private static Optional<String> decoded(String text, boolean plus) {
        ByteBuffer bytes = ByteBuffer.allocate(text.length() * 4);
        for (int at = 0; at < text.length(); at++) {
            char letter = text.charAt(at);
            if (letter == '%') {
                String digits = text.substring(at + 1, Math.min(text.length(), at + 3));
                if (!digits.matches("[0-9A-Fa-f]{2}")) {
                    return Optional.empty();
                }
                bytes.put((byte) Integer.parseInt(digits, 16));
                at += 2;
            } else {
                bytes.put(String.valueOf(plus && letter == '+' ? ' ' : letter).getBytes(StandardCharsets.UTF_8));
            }
        }
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
