// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

/** How many of something, in words: "1 page", "2 pages". */
public final class Counted {

    private Counted() {
    }

    /** With an s for any number but 1. */
    public static String of(long number, String one) {
        return of(number, one, one + "s");
    }

    /**
     * With a plural of its own.
     *
     * @param one  behind a 1
     * @param many behind any other number
     */
    public static String of(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
