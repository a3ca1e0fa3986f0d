// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import org.ic2.training.run.Neighbourhood;

/**
 * What a comparison was measured on.
 *
 * @param application {@code olio}, our own, or {@code wordpress}
 * @param profile     of our own application's load and pages: {@code public}, or {@code olio}, the original Olio's
 * @param server      {@code patched}, or {@code stock}: the distribution's httpd, with the ladder alone
 * @param layout      {@code overcommitted}, or {@code apart}: the tier's CPU is its own
 */
public record TestSubject(String application, String profile, String server, String layout) {
    /** What older folders, which do not say it, were measured on. */
    public static final TestSubject USUAL = new TestSubject("olio", "public", "patched", Neighbourhood.USUAL);

    /** In words for people. */
    String text() {
        return (application.equals("wordpress") ? "Debian's WordPress" : "our own application (" + application + ")")
                + (patched() ? " on the patched httpd" : " on Debian's own httpd, where IC\u00b2 moves the ladder alone (httpd-map)")
                + (layout.equals(Neighbourhood.APART) ? ", which has its CPU to itself (layout apart)" : "");
    }

    /** The load, for people. */
    String load() {
        return application.equals("wordpress") ? "the visitors of a WordPress" : "the profile " + profile;
    }

    /** Whether httpd can be reconfigured while it runs. */
    public boolean patched() {
        return server.equals("patched");
    }
}
