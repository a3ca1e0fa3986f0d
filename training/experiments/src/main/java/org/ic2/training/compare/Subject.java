// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

/**
 * What a comparison was measured on.
 *
 * @param application {@code olio}, our own, or {@code wordpress}
 * @param server      {@code patched}, or {@code stock}: the distribution's httpd, with the ladder alone
 */
public record Subject(String application, String server) {
    /** What older folders, which do not say it, were measured on. */
    public static final Subject USUAL = new Subject("olio", "patched");

    /** For people. */
    String text() {
        return (application.equals("wordpress") ? "Debian's WordPress" : "our own application (" + application + ")")
                + (patched() ? " on the patched httpd" : " on Debian's own httpd, where IC\u00b2 moves the ladder alone (httpd-map)");
    }

    /** Whether httpd can be reconfigured while it runs. */
    public boolean patched() {
        return server.equals("patched");
    }
}
