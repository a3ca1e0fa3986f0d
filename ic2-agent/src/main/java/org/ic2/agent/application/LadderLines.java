// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The lines that an administrator puts into the main server's configuration for an application: what mitigation.conf must know
 * of it, as {@code Define}s, and the files to include.
 *
 * @param root    the directory that the application lies in
 * @param docs    the directory of mitigation.conf and status.conf
 * @param map     the file of the rung, for an httpd without a patch; empty: httpd-online, which has an online variable
 */
public record LadderLines(String root, String docs, Optional<String> map) {

    /** No page is kept. */
    private static final String NOTHING = "(?!)";

    /** What no application reads, as mitigation.conf has it by default: who defines some must name these too. */
    private static final String EVERYBODYS_COOKIES = "_ga|_ga_[^=]*|_gid|_gat[^=]*|_gcl_[^=]*|_fb[pc]|_pk_[^=]*|_hj[^=]*"
            + "|__utm[a-z]+|_clck|_clsk|_uet[sv]id|__cf_bm|_cfuvid|cf_clearance";
    private static final String EVERYBODYS_PARAMETERS = "utm_[a-z_]+|[mp]tm_[a-z_]+|pk_[a-z_]+|fbclid|gclid|gclsrc|dclid"
            + "|gbraid|wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_gl";

    /** The lines, without their ends. */
    public List<String> of(WebApplication application) {
        List<String> lines = definitions(application);
        lines.add(include("mitigation.conf"));
        lines.add(include("status.conf"));
        return lines;
    }

    /** Those that come before the files are included. */
    public List<String> definitions(WebApplication application) {
        List<String> lines = new ArrayList<>();
        lines.add("# The ladder for " + application.name() + ". In the main server's configuration, not in a virtual host.");
        application.notes().forEach(note -> lines.add("# " + note));
        if (!application.cacheable()) {
            lines.add("# None of its pages are kept: what helps are the rungs that keep none.");
        }
        if (map.isEmpty()) {
            lines.add("# After ReconfigureFile and \"ReconfigureVariable MITIGATION 0\"; an httpd without them: ic2 ladder --stock");
        }
        lines.add("Define MITIGATION_APPLICATION \"" + root.replaceAll("/+$", "") + "/" + application.frontController() + "\"");
        define(lines, "PAGES", pages(application));
        define(lines, "SESSION_COOKIE", names(application.sessionCookies(), "[^=]*"));
        define(lines, "KNOWN_COOKIE", names(application.knownCookies(), "[^=]*"));
        define(lines, "HARMLESS_COOKIES", besides(EVERYBODYS_COOKIES, names(application.harmlessCookies(), "[^=]*")));
        define(lines, "PARAMETERS", names(application.parameters(), "[^=&]*"));
        define(lines, "HARMLESS_PARAMETERS", besides(EVERYBODYS_PARAMETERS, names(application.harmlessParameters(), "[^=&]*")));
        map.ifPresent(file -> define(lines, "MAP", file));
        return lines;
    }

    private String include(String file) {
        return "Include \"" + docs + "/" + file + "\"";
    }

    private static void define(List<String> lines, String name, String value) {
        if (!value.isEmpty()) {
            lines.add("Define MITIGATION_" + name + " \"" + value + "\"");
        }
    }

    private static String pages(WebApplication application) {
        String except = names(application.except(), ".*");
        return application.cacheable() ? (except.isEmpty() ? "" : "(?!(?:" + except + ")$)")
                + "(?:" + names(application.pages(), ".*") + ")" : NOTHING;
    }

    private static String besides(String everybodys, String own) {
        return own.isEmpty() ? "" : everybodys + "|" + own;
    }

    /** A regular expression for one of these words as a whole. */
    private static String names(List<String> words, String any) {
        return words.stream().map(word -> word.replace(".", "\\.").replace("*", any)).collect(Collectors.joining("|"));
    }
}
