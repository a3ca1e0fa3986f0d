// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.List;
import java.util.stream.Stream;

/**
 * A web application as the ladder of mitigation.conf must know it. Names and paths may hold {@code *}, which stands for any
 * letters.
 *
 * @param id                 its key in applications.yaml
 * @param name               its name for people
 * @param root               the directory that it lies in unless somebody says otherwise
 * @param frontController    the file below the root that builds the pages
 * @param marker             a file below the root that no other application has; empty: nobody recognises it
 * @param pages              paths of pages that are the same for everybody who is anonymous; empty: there are none
 * @param except             those among them that are not
 * @param sessionCookies     cookies by which it knows a visitor, those of guests' sessions too; empty: any cookie that is not
 *                           harmless
 * @param knownCookies       of visitors who are known, though not logged in
 * @param harmlessCookies    that it does not read, beside those of every site
 * @param parameters         of a query that make another page
 * @param harmlessParameters of a query that change nothing, beside those of every site
 * @param notes              what an administrator must know or set
 */
public record WebApplication(String id, String name, String root, String frontController, String marker, List<String> pages,
        List<String> except, List<String> sessionCookies, List<String> knownCookies, List<String> harmlessCookies,
        List<String> parameters, List<String> harmlessParameters, List<String> notes) {

    /** True if some of its pages can be kept. */
    public boolean cacheable() {
        return !pages.isEmpty();
    }

    /** The same where the site has it below a path, such as {@code /blog}: what is not kept is not kept there either. */
    public WebApplication below(String prefix) {
        List<String> both = Stream.concat(except.stream(), except.stream().map(path -> prefix + path)).toList();
        return prefix.isEmpty() ? this : new WebApplication(id, name, root, frontController, marker, pages, both, sessionCookies,
                knownCookies, harmlessCookies, parameters, harmlessParameters, notes);
    }
}
