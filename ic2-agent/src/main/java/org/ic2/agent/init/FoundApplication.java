// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.ic2.agent.application.WebApplication;

/**
 * An application that httpd serves.
 *
 * @param root   the directory that it lies in
 * @param prefix the path below which visitors find it, such as {@code /blog}; empty for all of a site
 * @param sites  where visitors find it, those without TLS first; at least one
 */
public record FoundApplication(WebApplication application, String root, String prefix, List<SiteAddress> sites) {

    private static final int MOST_BELOW = 200;

    /**
     * A directory that httpd serves.
     *
     * @param hosts places of the virtual hosts that serve it; an empty one stands for the main server
     */
    private record Served(String prefix, Set<String> hosts) {
    }

    /**
     * Looks where httpd serves files from, and one directory below.
     *
     * @param has         is there a file of this path?
     * @param directories names of what is in a directory
     * @param hostName    of the machine; may be empty
     */
    static List<FoundApplication> in(HttpdConfig config, HttpdDump dump, Collection<WebApplication> applications,
            Predicate<String> has, Function<String, List<String>> directories, String hostName) {
        Map<String, Served> below = below(served(config, dump.documentRoot()), directories);
        List<FoundApplication> found = new ArrayList<>();
        below.forEach((place, served) -> applications.stream().filter(each -> !each.marker().isEmpty()).forEach(each -> {
            String end = "/" + each.frontController();
            String inside = end.substring(0, end.lastIndexOf('/'));
            String root = place.endsWith(inside) ? place.substring(0, place.length() - inside.length()) : "";
            if (!root.isEmpty() && has.test(root + end) && has.test(root + "/" + each.marker())) {
                found.add(new FoundApplication(each, root, served.prefix(), SiteAddress.of(served.hosts(), dump, config, hostName)));
            }
        }));
        return found;
    }

    private static Map<String, Served> served(HttpdConfig config, String documentRoot) {
        Map<String, Served> served = new LinkedHashMap<>();
        config.all("documentroot").forEach(place -> add(served, place.argument(), "", place.host()));
        config.all("alias").filter(alias -> alias.arguments().size() == 2)
                .forEach(alias -> add(served, alias.arguments().get(1), plain(alias.argument()), alias.host()));
        if (!served.containsKey(plain(documentRoot))) {
            add(served, documentRoot, "", "");
        }
        return served;
    }

    private static void add(Map<String, Served> served, String place, String prefix, String host) {
        Served there = served.computeIfAbsent(plain(place), key -> new Served(prefix, new LinkedHashSet<>()));
        if (there.prefix().equals(prefix)) {
            there.hosts().add(host);
        }
    }

    private static Map<String, Served> below(Map<String, Served> served, Function<String, List<String>> directories) {
        Map<String, Served> below = new LinkedHashMap<>(served);
        served.forEach((place, it) -> directories.apply(place).stream().limit(MOST_BELOW)
                .forEach(name -> below.putIfAbsent(place + "/" + name, new Served(it.prefix() + "/" + name, it.hosts()))));
        return below;
    }

    private static String plain(String place) {
        return place.replaceAll("/+$", "");
    }

    /** For people. */
    String describe() {
        return application.name() + " in " + root + (prefix.isEmpty() ? "" : ", below " + prefix);
    }
}
