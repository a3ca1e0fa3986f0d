// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,39}");

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

    /** The application that some pages were made by, as they say themselves. */
    public Optional<WebApplication> byGenerator(Collection<String> generators) {
        return byId.values().stream().filter(each -> !each.generator().isEmpty()
                && generators.stream().anyMatch(text -> text.startsWith(each.generator()))).findFirst();
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
            byId.put(id, ApplicationReader.read(id, applications.map(id)));
        }
        return new Applications(byId);
    }
}
