// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/**
 * What pages say of their age, for applications that stamp them.
 *
 * @param checked pages that said it
 * @param stored  those among them that had not been built for the request
 * @param oldest  greatest age when the page was asked for, seconds
 * @param sum     of the ages of all, seconds
 * @param leftOut pages that said that parts of them were left out
 */
record PageAges(long checked, long stored, double oldest, double sum, long leftOut) {
    static final PageAges NONE = new PageAges(0, 0, 0, 0, 0);

    /** With one more page; an age of 0 means that it was built for the request. */
    PageAges and(double age) {
        return new PageAges(checked + 1, stored + (age > 0 ? 1 : 0), Math.max(oldest, age), sum + age, leftOut);
    }

    /** With one more page that lacked parts. */
    PageAges lessPart() {
        return new PageAges(checked, stored, oldest, sum, leftOut + 1);
    }

    /** Both together. */
    PageAges and(PageAges other) {
        return new PageAges(checked + other.checked, stored + other.stored, Math.max(oldest, other.oldest), sum + other.sum, leftOut + other.leftOut);
    }

    /** Mean age of all pages, fresh ones at 0; NaN where no page said anything. */
    double meanOrNone() {
        return checked == 0 ? Double.NaN : sum / checked;
    }

    /** Greatest age; NaN where no page said anything. */
    double oldestOrNone() {
        return checked == 0 ? Double.NaN : oldest;
    }
}
