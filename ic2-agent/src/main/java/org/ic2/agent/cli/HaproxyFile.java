// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is said of servers in an haproxy.cfg. */
final class HaproxyFile {

    private static final Set<String> SECTIONS = Set.of("global", "defaults", "frontend", "backend", "listen", "userlist", "peers", "resolvers",
            "mailers", "cache", "program", "http-errors", "ring", "fcgi-app");
    /** Words of a server's line that have a value, as far as it is looked at. */
    private static final Set<String> VALUED = Set.of("agent-addr", "agent-inter", "agent-port", "agent-send", "inter", "fastinter", "downinter",
            "weight", "maxconn", "minconn", "maxqueue", "slowstart", "cookie", "rise", "fall", "port", "addr", "track", "observe", "on-error",
            "on-marked-down", "on-marked-up", "error-limit", "source", "init-addr", "resolvers", "proto", "crt", "ca-file", "verify", "sni", "id");

    /**
     * A backend, or the half of a listen section that is one.
     *
     * @param words first words of its lines, of those of its defaults, too, with the rest of the line: the last one counts
     */
    record Backend(String name, Map<String, List<String>> words, List<Server> servers) {
        /** What stands behind a word; empty if it is not there. */
        List<String> of(String word) {
            return words.getOrDefault(word, List.of());
        }

        boolean has(String word) {
            return words.containsKey(word);
        }
    }

    /**
     * A server's line.
     *
     * @param line    its number
     * @param address with the port
     * @param options of the line and of default-server; what has no value has an empty one
     */
    record Server(int line, String backend, String name, String address, Map<String, String> options) {
        boolean has(String option) {
            return options.containsKey(option);
        }

        String get(String option) {
            return options.get(option);
        }

        /** The address without its port and family. */
        String host() {
            String plain = address.replaceFirst("^(ipv4|ipv6)@", "");
            int colon = plain.lastIndexOf(':');
            boolean port = colon >= 0 && plain.indexOf(':') == colon || plain.indexOf("]:") >= 0;
            return (port ? plain.substring(0, colon) : plain).replaceAll("[\\[\\]]", "");
        }
    }

    private final Map<String, Map<String, List<String>>> defaults = new LinkedHashMap<>();
    private final List<Backend> backends = new ArrayList<>();
    private Map<String, List<String>> latest = Map.of();

    private HaproxyFile() {
    }

    /** The backends of a file's text; a line that makes no sense is passed over, as HAProxy itself says it. */
    static List<Backend> backends(String text) {
        HaproxyFile file = new HaproxyFile();
        Map<String, List<String>> section = new LinkedHashMap<>();
        List<Server> servers = new ArrayList<>();     // of a server before any section, which is none
        String name = "";
        int number = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            number++;
            List<String> words = List.of(line.replaceFirst("(^|\\s)#.*", "").strip().split("\\s+"));
            String first = words.get(0);
            if (SECTIONS.contains(first)) {
                name = words.size() > 1 ? words.get(1) : "";
                section = file.begin(words);
                servers = new ArrayList<>();
                if (Set.of("backend", "listen").contains(first)) {
                    file.backends.add(new Backend(name, section, servers));
                }
            } else if (first.equals("server") && words.size() > 2) {
                Map<String, String> options = options(section.getOrDefault("default-server", List.of()));
                options.putAll(options(words.subList(3, words.size())));
                options.keySet().removeIf(option -> options.containsKey("no-" + option));
                servers.add(new Server(number, name, words.get(1), words.get(2), options));
            } else if (first.equals("no") && words.size() > 1) {
                section.remove(words.get(1));
            } else if (!first.isEmpty()) {
                section.put(first, words.subList(1, words.size()));
            }
        }
        return file.backends;
    }

    private Map<String, List<String>> begin(List<String> words) {
        int from = words.indexOf("from");
        Map<String, List<String>> inherited = from >= 0 && from + 1 < words.size() ? defaults.getOrDefault(words.get(from + 1), Map.of()) : latest;
        boolean proxy = Set.of("defaults", "frontend", "backend", "listen").contains(words.get(0));
        boolean own = words.get(0).equals("defaults");
        Map<String, List<String>> section = new LinkedHashMap<>(proxy && !(own && from < 0) ? inherited : Map.of());
        if (own) {
            latest = section;
            defaults.put(words.size() > 1 ? words.get(1) : "", section);
        }
        return section;
    }

    private static Map<String, String> options(List<String> words) {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < words.size(); i++) {
            boolean valued = VALUED.contains(words.get(i)) && i + 1 < words.size();
            options.put(words.get(i), valued ? words.get(i + 1) : "");
            i += valued ? 1 : 0;
        }
        return options;
    }
}
