// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.ic2.agent.application.WebApplication;

/**
 * An application that httpd serves.
 *
 * @param root   the directory that it lies in
 * @param prefix the path below which visitors find it, such as {@code /blog}; empty for all of a site
 */
public record FoundApplication(WebApplication application, String root, String prefix) {

    private static final int MOST_BELOW = 200;

    /**
     * Looks where httpd serves files from, and one directory below.
     *
     * @param documentRoot what the main server serves
     * @param has          is there a file of this path?
     * @param directories  names of what is in a directory
     */
    static List<FoundApplication> in(HttpdConfig config, String documentRoot, Collection<WebApplication> applications,
            Predicate<String> has, Function<String, List<String>> directories) {
        Map<String, String> served = new LinkedHashMap<>();
        config.all("documentroot").map(HttpdDirective::argument).forEach(place -> served.put(plain(place), ""));
        config.all("alias").filter(alias -> alias.arguments().size() == 2)
                .forEach(alias -> served.putIfAbsent(plain(alias.arguments().get(1)), plain(alias.argument())));
        served.putIfAbsent(plain(documentRoot), "");
        Map<String, String> below = new LinkedHashMap<>(served);
        served.forEach((place, prefix) -> directories.apply(place).stream().limit(MOST_BELOW)
                .forEach(name -> below.putIfAbsent(place + "/" + name, prefix + "/" + name)));
        List<FoundApplication> found = new ArrayList<>();
        below.forEach((place, prefix) -> applications.stream().filter(each -> !each.marker().isEmpty()).forEach(each -> {
            String end = "/" + each.frontController();
            String inside = end.substring(0, end.lastIndexOf('/'));
            String root = place.endsWith(inside) ? place.substring(0, place.length() - inside.length()) : "";
            if (!root.isEmpty() && has.test(root + end) && has.test(root + "/" + each.marker())) {
                found.add(new FoundApplication(each, root, prefix));
            }
        }));
        return found;
    }

    private static String plain(String place) {
        return place.replaceAll("/+$", "");
    }

    /** For people. */
    String describe() {
        return application.name() + " in " + root + (prefix.isEmpty() ? "" : ", below " + prefix);
    }
}
