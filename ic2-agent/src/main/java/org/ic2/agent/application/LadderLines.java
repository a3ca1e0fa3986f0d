// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The lines of the main server's configuration that make the ladder: directives of mod_standby for the server, and a
 * {@code <Directory>} with those of each application.
 *
 * @param map     the file of the level, for an httpd without a patch; empty: httpd-online, which has an online variable
 * @param headers that the proxy in front of httpd adds
 * @param wall    whether there is a wall against crawlers, which is up while its flag is set
 */
public record LadderLines(Optional<String> map, HeaderNames headers, boolean wall) {

    /** The directory of the store, which httpd makes in memory. */
    public static final String STORE = "/run/ic2-standby";
    /** The modules that the lines and status.conf need, as a2enmod knows them. */
    public static final List<String> MODULES = List.of("standby", "deflate", "filter", "headers", "setenvif", "status");

    /** The wall's flag, a line of the file or an online variable. */
    public static final String FLAG = "MITIGATION_WALL";

    private static final String VARIABLE = "MITIGATION";
    private static final String KNOWN_LEVEL = "5";
    private static final String OPEN_LEVEL = "3";

    /**
     * An application and where it lies.
     *
     * @param root its directory
     */
    public record Placed(WebApplication application, String root) {

        /** The absolute path of the file that builds its pages. */
        public String frontController() {
            return plainRoot() + "/" + application.frontController();
        }

        private String plainRoot() {
            return root.replaceAll("/+$", "");
        }
    }

    /** What {@code ic2 ladder} prints: all lines, without their ends. */
    public List<String> of(Placed placed, String docs) {
        List<String> lines = new ArrayList<>();
        lines.add("# The ladder for " + placed.application().name() + ". In the main server's configuration, not in a virtual host.");
        lines.add("# It needs the modules " + String.join(", ", MODULES) + ".");
        if (map.isEmpty()) {
            lines.add("# After ReconfigureFile and \"ReconfigureVariable MITIGATION 0\"" + (wall ? ", and the same of " + FLAG : "")
                    + "; an httpd without them: ic2 ladder --stock");
        }
        lines.addAll(server(List.of(placed.application())));
        lines.addAll(directory(placed));
        lines.add("Include " + HttpdLine.quoted(docs + "/status.conf"));
        return lines;
    }

    /** The directives of the server for these applications. */
    public List<String> server(Collection<WebApplication> applications) {
        List<String> lines = new ArrayList<>();
        lines.add(map.map(file -> "StandbyLevel file " + HttpdLine.quoted(file)).orElse("StandbyLevel variable " + VARIABLE));
        lines.add("StandbyStore " + STORE);
        lines.add("# A proxy in front of httpd adds headers to requests. Name those of yours, or its visitors pass the store by. Common are:");
        lines.add("#   StandbyKeyedHeaders X-Forwarded-Proto X-Forwarded-Host X-Forwarded-Port CF-Visitor");
        lines.add("#   StandbyVolatileHeaders X-Forwarded-For X-Real-IP X-Request-ID CF-Ray CF-Connecting-IP");
        add(lines, "StandbyKeyedHeaders", headers.keyed());
        add(lines, "StandbyVolatileHeaders", headers.varying());
        if (applications.stream().anyMatch(application -> application.answers().rewriteSharedAge())) {
            lines.add("# the application asks for it: no other cache keeps its pages, which only this one is told to forget");
            lines.add("StandbySharedAge rewrite");
        }
        if (map.isEmpty()) {
            lines.add("# level 1: cheap compression");
            lines.add("SetEnvIfExpr \"reqenv('MITIGATION') -ge 1\" deflate-level=1");
        }
        lines.add("# level 2: crawlers whose User-Agent has one of these words are asked to come back later; how many requests a minute");
        lines.add("# all of a class have is yours to choose (docs/wall.md)");
        lines.addAll(crawlers());
        lines.add("# Crawlers that use browsers' names: while this flag is up, visitors without a cookie get stored pages only (docs/wall.md)");
        lines.add((wall ? "" : "#   ") + "StandbyWall flag");
        lines.add("# level 6: the application leaves out optional parts, if it knows how");
        lines.add("SetEnvIfExpr \"reqenv('MITIGATION') -ge 6\" MITIGATION_BROWNOUT=1");
        return lines;
    }

    /** The classes of crawlers with their rates, as httpd-online/docs/crawlers.conf has them. */
    private static List<String> crawlers() {
        try (InputStream in = LadderLines.class.getResourceAsStream("crawlers.conf")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("Standby")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The section of an application; levels 3 to 5 are what it says of pages, and the module's defaults of their age. */
    public static List<String> directory(Placed placed) {
        WebApplication application = placed.application();
        List<String> lines = new ArrayList<>();
        lines.add("# " + application.name());
        application.notes().forEach(note -> lines.add("# " + note));
        if (!application.cacheable()) {
            lines.add("# No page of it is stored, since StandbyPages is not here.");
        }
        lines.add("<Directory " + HttpdLine.quoted(placed.plainRoot()) + ">");
        List<String> directives = new ArrayList<>();
        directives.add("StandbyApplication " + HttpdLine.quoted(placed.frontController()));
        WebApplication.Pages pages = application.pages();
        add(directives, "StandbyPages", pages.patterns());
        addFrom(OPEN_LEVEL, directives, "StandbyPublic", pages.open());
        if (application.cacheable() || !pages.open().isEmpty()) {
            add(directives, "StandbyExcept", pages.except());
            add(directives, "StandbyNamespaces", pages.namespaces());
            add(directives, "StandbyParameters", application.parameters().distinguishing());
            add(directives, "StandbyHarmlessParameters", application.parameters().harmless());
        }
        if (application.cacheable()) {
            add(directives, "StandbyHarmlessCookies", application.cookies().harmless());
            addFrom(KNOWN_LEVEL, directives, "StandbyKnownCookies", application.cookies().known());
            application.answers().masks().forEach(mask -> directives.add("StandbyMask " + HttpdLine.quoted(mask.begin()) + " "
                    + HttpdLine.quoted(mask.end())));
            add(directives, "StandbyIgnoreAnswerHeaders", application.answers().ignoredHeaders());
        }
        add(directives, "StandbySessionCookies", application.cookies().session());
        directives.forEach(directive -> lines.add("    " + directive));
        lines.add("</Directory>");
        return lines;
    }

    private static void addFrom(String level, List<String> lines, String directive, List<String> words) {
        add(lines, directive, words.isEmpty() ? words : Stream.concat(Stream.of(level), words.stream()).toList());
    }

    private static void add(List<String> lines, String directive, List<String> words) {
        if (!words.isEmpty()) {
            lines.add(HttpdLine.of(directive, words));
        }
    }
}
