// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.load.workload.Built;
import org.ic2.load.workload.PageError;

/**
 * What a page of the testbed says about itself (testbed/wordpress/ic2-testbed.php).
 *
 * @param built   when WordPress began to build it
 * @param visitor for whom: {@code anonymous}, {@code member:LOGIN} or {@code commenter:NAME}
 */
record Stamp(Built built, String visitor) {
    static final String ANONYMOUS = "anonymous";
    private static final Pattern FORM =
            Pattern.compile("<!-- ic2 built=(\\d{1,15}) visitor=(anonymous|(?:member|commenter):[A-Za-z0-9:._-]{1,200}) -->");
    private static final String BEGIN = "<!-- ic2 ";

    /**
     * Finds the stamp of a page.
     *
     * @throws PageError when there is none, more than one, or one that cannot be read
     */
    static Stamp of(String where, String page) throws PageError {
        int at = page.indexOf(BEGIN);
        if (at < 0) {
            throw new PageError(where + ": expected a page with the testbed's stamp (" + BEGIN + "...), found none");
        }
        Matcher m = FORM.matcher(page).region(at, page.length());
        if (!m.lookingAt()) {
            throw new PageError(where + ": expected a stamp " + BEGIN + "built=MILLISECONDS visitor=WHO -->, got "
                    + page.substring(at, Math.min(page.length(), at + 80)));
        }
        if (page.indexOf(BEGIN, m.end()) >= 0) {
            throw new PageError(where + ": expected one stamp, found another one: two pages in one");
        }
        return new Stamp(new Built(Long.parseLong(m.group(1))), m.group(2));
    }
}
