// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/**
 * What pages say of their age, for applications that stamp them.
 *
 * @param checked pages that said it
 * @param stored  those among them that had not been built for the request
 * @param oldest  greatest age when the page was asked for, seconds
 */
record PageAges(long checked, long stored, double oldest) {
    static final PageAges NONE = new PageAges(0, 0, 0);

    /** With one more page; an age of 0 means that it was built for the request. */
    PageAges and(double age) {
        return new PageAges(checked + 1, stored + (age > 0 ? 1 : 0), Math.max(oldest, age));
    }

    /** Both together. */
    PageAges and(PageAges other) {
        return new PageAges(checked + other.checked, stored + other.stored, Math.max(oldest, other.oldest));
    }

    /** Greatest age; NaN where no page said anything. */
    double oldestOrNone() {
        return checked == 0 ? Double.NaN : oldest;
    }
}
