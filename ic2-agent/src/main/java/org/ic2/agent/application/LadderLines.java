// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

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
 */
public record LadderLines(Optional<String> map, HeaderNames headers) {

    /** The directory of the store, which httpd makes in memory. */
    public static final String STORE = "/run/ic2-standby";
    /** The modules that the lines and status.conf need, as a2enmod knows them. */
    public static final List<String> MODULES = List.of("standby", "deflate", "filter", "headers", "setenvif", "status");

    private static final String VARIABLE = "MITIGATION";
    private static final String KNOWN_LEVEL = "5";

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
            lines.add("# After ReconfigureFile and \"ReconfigureVariable MITIGATION 0\"; an httpd without them: ic2 ladder --stock");
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
        lines.add("# level 2: bots whose User-Agent has one of these words are asked to come back later");
        lines.add("#   StandbyCrawlers 2 bot crawler spider");
        lines.add("# level 6: the application leaves out optional parts, if it knows how");
        lines.add("SetEnvIfExpr \"reqenv('MITIGATION') -ge 6\" MITIGATION_BROWNOUT=1");
        return lines;
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
        if (application.cacheable()) {
            add(directives, "StandbyPages", pages.patterns());
            add(directives, "StandbyExcept", pages.except());
            add(directives, "StandbyNamespaces", pages.namespaces());
            add(directives, "StandbyParameters", application.parameters().distinguishing());
            add(directives, "StandbyHarmlessParameters", application.parameters().harmless());
            add(directives, "StandbyHarmlessCookies", application.cookies().harmless());
            if (!application.cookies().known().isEmpty()) {
                add(directives, "StandbyKnownCookies", Stream.concat(Stream.of(KNOWN_LEVEL), application.cookies().known().stream()).toList());
            }
            application.answers().masks().forEach(mask -> directives.add("StandbyMask " + HttpdLine.quoted(mask.begin()) + " "
                    + HttpdLine.quoted(mask.end())));
            add(directives, "StandbyIgnoreAnswerHeaders", application.answers().ignoredHeaders());
        }
        add(directives, "StandbySessionCookies", application.cookies().session());
        directives.forEach(directive -> lines.add("    " + directive));
        lines.add("</Directory>");
        return lines;
    }

    private static void add(List<String> lines, String directive, List<String> words) {
        if (!words.isEmpty()) {
            lines.add(HttpdLine.of(directive, words));
        }
    }
}
