// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A web application as the stand-by cache (mod_standby) must know it. Names and patterns may hold {@code *}, which stands for
 * any letters.
 *
 * @param id              its key in applications.yaml
 * @param name            its name for people
 * @param root            the directory that it lies in unless somebody says otherwise
 * @param frontController the file below the root that builds the pages
 * @param marker          a file below the root that no other application has; empty: it cannot be recognised
 * @param generator       what its pages say that they were made by ({@code <meta name="generator">}) begins with this; empty: nothing
 * @param pages           which pages may be stored
 * @param cookies         what its cookies mean
 * @param parameters      what the parameters of a query mean
 * @param answers         how its answers are compared and passed on
 * @param brownout        whether it leaves out optional parts when it is asked to
 * @param ifPrivate       lines to add to its configuration where it says of its pages that they are private; they may hold
 *                        {@code HOST} and {@code PORT}
 * @param notes           what an administrator must know or set
 */
public record WebApplication(String id, String name, String root, String frontController, String marker, String generator, Pages pages,
        Cookies cookies, Parameters parameters, Answers answers, Brownout brownout, List<String> ifPrivate, List<String> notes) {

    /**
     * Which pages may be stored: those of the patterns, without the exceptions.
     *
     * @param patterns      of decoded paths; empty: no page may be stored
     * @param except        compared with the decoded path and with each decoded value of a parameter
     * @param namespaces    words that may stand before a colon in a path or value; empty: any may
     * @param namespacesApi a file below the root that tells the site's own namespaces as MediaWiki's api.php does; empty: none
     * @param open          patterns of paths whose answers are for members, too, where the application calls them public
     */
    public record Pages(List<String> patterns, List<String> except, List<String> namespaces, String namespacesApi, List<String> open) {

        /** The same with these patterns alone. */
        public Pages only(List<String> some) {
            return new Pages(some, except, namespaces, namespacesApi, open);
        }

        /** The same with the namespaces of a site, and with further exceptions. */
        public Pages withNamespaces(List<String> names, List<String> more) {
            return new Pages(patterns, Stream.concat(except.stream(), more.stream()).distinct().toList(), List.copyOf(names), namespacesApi, open);
        }

        /** The same where the site has the application below a path: what is excepted is excepted there too. */
        Pages below(String prefix) {
            List<String> there = except.stream().filter(pattern -> pattern.startsWith("/")).map(pattern -> prefix + pattern).toList();
            return new Pages(patterns, Stream.concat(except.stream(), there.stream()).distinct().toList(), namespaces, namespacesApi,
                    open.stream().map(pattern -> prefix + pattern).toList());
        }
    }

    /**
     * What its cookies mean. A visitor with any other cookie than a harmless one passes the store by.
     *
     * @param session  by which it knows members, for logs
     * @param known    of visitors who are known by name, though not logged in
     * @param harmless that it does not read, beside those of every site
     */
    public record Cookies(List<String> session, List<String> known, List<String> harmless) {
    }

    /**
     * What the parameters of a query mean. A request with any other one passes the store by.
     *
     * @param distinguishing that make another page
     * @param harmless       that change nothing, beside those of every site
     */
    public record Parameters(List<String> distinguishing, List<String> harmless) {
    }

    /**
     * How its answers are compared and passed on.
     *
     * @param masks            of text that differs from build to build and means nothing
     * @param ignoredHeaders   of answers that differ from build to build and mean nothing
     * @param rewriteSharedAge it expects {@code s-maxage} to be taken out of answers before other caches see them
     */
    public record Answers(List<Mask> masks, List<String> ignoredHeaders, boolean rewriteSharedAge) {
    }

    /** Text between two literals. */
    public record Mask(String begin, String end) {
    }

    /**
     * Whether it leaves out optional parts when it is asked to (level 6).
     *
     * @param possible it does, or does with one of the files
     * @param files    of which one must be there, below the root or absolute; empty: none is needed
     */
    public record Brownout(boolean possible, List<String> files) {
    }

    /** True for a word that may stand before a colon: what a site calls its namespaces is not ours to choose. */
    public static boolean isNamespace(String name) {
        return ApplicationReader.isNamespace(name);
    }

    /** True if some of its pages may be stored. */
    public boolean cacheable() {
        return !pages.patterns().isEmpty();
    }

    /** The same with other rules for its pages. */
    public WebApplication with(Pages others) {
        return new WebApplication(id, name, root, frontController, marker, generator, others, cookies, parameters, answers, brownout,
                ifPrivate, notes);
    }

    /** The same where the site has it below a path, such as {@code /blog}. */
    public WebApplication below(String prefix) {
        return prefix.isEmpty() ? this : with(pages.below(prefix));
    }

    /** What to add to its configuration where its pages say that they are private. */
    public List<String> linesIfPrivate(String host, int port) {
        List<String> lines = new ArrayList<>(ifPrivate);
        lines.replaceAll(line -> line.replace("HOST", host).replace("PORT", Integer.toString(port)));
        return lines;
    }
}
