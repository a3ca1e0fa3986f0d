// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.List;

/**
 * A web application as the ladder of mitigation.conf must know it. Names and paths may hold {@code *}, which stands for any
 * letters.
 *
 * @param id                 its key in applications.yaml
 * @param name               its name for people
 * @param root               the directory that it lies in unless somebody says otherwise
 * @param frontController    the file below the root that builds the pages
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
public record WebApplication(String id, String name, String root, String frontController, List<String> pages,
        List<String> except, List<String> sessionCookies, List<String> knownCookies, List<String> harmlessCookies,
        List<String> parameters, List<String> harmlessParameters, List<String> notes) {

    /** True if some of its pages can be kept. */
    public boolean cacheable() {
        return !pages.isEmpty();
    }
}
