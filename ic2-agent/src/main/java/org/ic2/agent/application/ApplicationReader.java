// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads an entry of applications.yaml. What goes into httpd's configuration is held to letters that mean nothing there. */
final class ApplicationReader {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.*-]{1,80}");
    private static final String LETTERS = "\\p{L}\\p{M}\\p{N}_.:,=@~%*/-";
    private static final Pattern PATH = Pattern.compile("/[" + LETTERS + "]{0,200}");
    private static final Pattern EXCEPTION = Pattern.compile("[" + LETTERS + "]{1,200}");
    private static final Pattern NAMESPACE = Pattern.compile("[\\p{L}\\p{M}\\p{N}_.,'!()-]{1,80}");
    private static final Pattern DIRECTORY = Pattern.compile("(?:/[A-Za-z0-9_.+@ -]+)+");
    private static final Pattern FILE = Pattern.compile("(?!.*\\.\\.)[A-Za-z0-9_-][A-Za-z0-9_./-]{0,100}");
    private static final Pattern ANY_FILE = Pattern.compile("(?!.*\\.\\.)/?[A-Za-z0-9_-][A-Za-z0-9_./-]{0,100}");
    private static final Pattern LINE = Pattern.compile("\\P{Cntrl}{0,399}[^\\p{Cntrl}\\\\]");
    private static final Pattern GENERATOR = Pattern.compile("\\P{Cntrl}{3,100}");
    private static final Pattern BEGIN = Pattern.compile("[ -#%-~]{3,100}");
    private static final Pattern END = Pattern.compile("[ -#%-~]{1,100}");
    private static final List<String> KEYS = List.of("name", "root", "front-controller", "marker", "generator", "pages", "public", "except",
            "namespaces", "namespaces-api", "session-cookies", "known-cookies", "harmless-cookies", "parameters", "harmless-parameters", "masks",
            "ignore-answer-headers", "shared-age", "brownout", "if-private", "notes");

    private final YamlMap map;

    private ApplicationReader(YamlMap map) {
        this.map = map;
    }

    static WebApplication read(String id, YamlMap map) throws ConfigException {
        map.only(KEYS);
        return new ApplicationReader(map).application(id);
    }

    /** True for a word that may stand before a colon. */
    static boolean isNamespace(String name) {
        return NAMESPACE.matcher(name).matches();
    }

    private WebApplication application(String id) throws ConfigException {
        return new WebApplication(id, map.parsed("name", text -> matching(text, LINE, "a line of text")),
                map.parsed("root", text -> matching(text, DIRECTORY, "a directory such as /var/www/shop"), "/var/www/html"),
                map.parsed("front-controller", text -> matching(text, FILE, "a file below the root such as index.php")),
                map.parsed("marker", text -> matching(text, FILE, "a file below the root such as wp-login.php"), ""),
                map.parsed("generator", text -> matching(text, GENERATOR, "3 letters or more, such as MediaWiki"), ""),
                new WebApplication.Pages(words("pages", PATH, "a path such as /news/*"),
                        words("except", EXCEPTION, "a path or value such as /cart/* or Special:*"),
                        words("namespaces", NAMESPACE, "a word before a colon such as Talk"),
                        map.parsed("namespaces-api", text -> matching(text, FILE, "a file below the root such as api.php"), ""),
                        words("public", PATH, "a path such as /media/*")),
                new WebApplication.Cookies(words("session-cookies", NAME, "a cookie's name such as session_*"),
                        words("known-cookies", NAME, "a cookie's name such as author_*"),
                        words("harmless-cookies", NAME, "a cookie's name such as theme")),
                new WebApplication.Parameters(words("parameters", NAME, "a parameter's name such as page"),
                        words("harmless-parameters", NAME, "a parameter's name such as utm_*")),
                new WebApplication.Answers(masks(), words("ignore-answer-headers", NAME, "a header's name such as X-Request-Id"),
                        map.oneOf("shared-age", "keep", "keep", "rewrite").equals("rewrite")),
                brownout(), words("if-private", LINE, "a line of text"), words("notes", LINE, "a line of text"));
    }

    private List<WebApplication.Mask> masks() throws ConfigException {
        List<WebApplication.Mask> masks = new ArrayList<>();
        for (YamlMap mask : map.has("masks") ? map.maps("masks") : List.<YamlMap>of()) {
            masks.add(new WebApplication.Mask(mask.parsed("begin", text -> matching(text, BEGIN, "3 to 100 letters of ASCII without $")),
                    mask.parsed("end", text -> matching(text, END, "1 to 100 letters of ASCII without $"))));
            mask.done();
        }
        return List.copyOf(masks);
    }

    private WebApplication.Brownout brownout() throws ConfigException {
        if (!map.has("brownout")) {
            return new WebApplication.Brownout(false, List.of());
        }
        List<String> words = map.textOrTexts("brownout");
        if (words.equals(List.of("true")) || words.equals(List.of("false"))) {
            return new WebApplication.Brownout(words.get(0).equals("true"), List.of());
        }
        return new WebApplication.Brownout(true, checked("brownout", words, ANY_FILE, "true, false or files such as wp-content/mu-plugins/a.php"));
    }

    private List<String> words(String key, Pattern pattern, String expected) throws ConfigException {
        return map.has(key) ? checked(key, map.texts(key), pattern, expected) : List.of();
    }

    private List<String> checked(String key, List<String> words, Pattern pattern, String expected) throws ConfigException {
        for (String word : words) {
            try {
                matching(word, pattern, expected);
            } catch (IllegalArgumentException e) {
                throw map.error(key, e.getMessage());
            }
        }
        return List.copyOf(words);
    }

    private static String matching(String text, Pattern pattern, String expected) {
        if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException("expected " + expected + ", got \"" + BoundedText.brief(text) + "\"");
        }
        return text;
    }
}
