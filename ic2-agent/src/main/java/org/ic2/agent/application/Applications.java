// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** The applications of {@code applications.yaml}: ours, and those of a file of the administrator's. Immutable. */
public final class Applications {

    private static final int FORMAT = 1;
    private static final String SHIPPED = "applications.yaml";

    // What goes into httpd's configuration is held to letters that mean nothing there.
    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,39}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.*-]{1,80}");
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9_.:,=@~%*/-]{0,200}");
    private static final Pattern DIRECTORY = Pattern.compile("(?:/[A-Za-z0-9_.+@ -]+)+");
    private static final Pattern FILE = Pattern.compile("(?!.*\\.\\.)[A-Za-z0-9_-][A-Za-z0-9_./-]{0,100}");
    private static final Pattern LINE = Pattern.compile("\\P{Cntrl}{0,399}[^\\p{Cntrl}\\\\]");

    private final Map<String, WebApplication> byId;

    private Applications(Map<String, WebApplication> byId) {
        this.byId = byId;
    }

    /** Those that IC2 ships. */
    public static Applications shipped() {
        try (InputStream in = Applications.class.getResourceAsStream(SHIPPED)) {
            return parse("shipped " + SHIPPED, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + SHIPPED + " from the jar", e);
        } catch (ConfigException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /**
     * These and those of a file; where both have one, the file's.
     *
     * @throws ConfigException naming file, line and key, also when there is no such file
     */
    public Applications with(Path file) throws ConfigException {
        try {
            Map<String, WebApplication> all = new TreeMap<>(byId);
            all.putAll(parse(file.toString(), BoundedText.file(file, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8)).byId);
            return new Applications(all);
        } catch (IOException e) {
            throw new ConfigException("cannot read the applications: " + e.getMessage(), e);
        }
    }

    /** All of them by their keys. */
    public Collection<WebApplication> all() {
        return byId.values();
    }

    public Optional<WebApplication> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /**
     * Reads a file's text.
     *
     * @param file its name, for errors
     */
    static Applications parse(String file, String text) throws ConfigException {
        YamlMap root = YamlMap.parse(file, text);
        root.only(List.of("format", "applications"));
        int format = root.integer("format");
        if (format != FORMAT) {
            throw root.error("format", "expected " + FORMAT + ", got " + format + ": another version of IC2 wrote it");
        }
        YamlMap applications = root.map("applications");
        Map<String, WebApplication> byId = new TreeMap<>();
        for (String id : applications.names()) {
            if (!ID.matcher(id).matches()) {
                throw applications.error(id, "expected small letters, digits and -, such as my-shop");
            }
            byId.put(id, application(id, applications.map(id)));
        }
        return new Applications(byId);
    }

    private static WebApplication application(String id, YamlMap map) throws ConfigException {
        map.only(List.of("name", "root", "front-controller", "marker", "pages", "except", "session-cookies", "known-cookies",
                "harmless-cookies", "parameters", "harmless-parameters", "notes"));
        return new WebApplication(id, map.parsed("name", text -> matching(text, LINE, "a line of text")),
                map.parsed("root", text -> matching(text, DIRECTORY, "a directory such as /var/www/shop"), "/var/www/html"),
                map.parsed("front-controller", text -> matching(text, FILE, "a file below the root such as index.php")),
                map.parsed("marker", text -> matching(text, FILE, "a file below the root such as wp-login.php"), ""),
                words(map, "pages", PATH, "a path such as /news/*"), words(map, "except", PATH, "a path such as /cart/*"),
                words(map, "session-cookies", NAME, "a cookie's name such as session_*"),
                words(map, "known-cookies", NAME, "a cookie's name such as author_*"),
                words(map, "harmless-cookies", NAME, "a cookie's name such as theme"),
                words(map, "parameters", NAME, "a parameter's name such as page"),
                words(map, "harmless-parameters", NAME, "a parameter's name such as utm_*"),
                words(map, "notes", LINE, "a line of text"));
    }

    private static List<String> words(YamlMap map, String key, Pattern pattern, String expected) throws ConfigException {
        List<String> words = new ArrayList<>();
        for (String word : map.has(key) ? map.texts(key) : List.<String>of()) {
            try {
                words.add(matching(word, pattern, expected));
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
