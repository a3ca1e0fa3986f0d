// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

/**
 * What the load does where our own and that of the original Olio differ.
 *
 * @param leave       probability that a logged-in user has left when the home page is asked for, if run.xml does not say
 * @param pictureSide width and height of an uploaded picture, pixels; its bytes are about three for each
 * @param document    size of the document that comes with a new event, bytes; 0: none
 * @param anonymous   share of the users who are not logged in when they are first seen, all others have been there before
 * @param original    tags are searched by a form, a user who has registered another one logs out, and browsers ask for each of the
 *                    original's files again in a new session
 */
record Profile(double leave, int pictureSide, int document, double anonymous, boolean original) {
    /** A public site: most visitors are not logged in. */
    static final Profile PUBLIC = new Profile(1, 96, 0, 1, false);
    /** See {@link OriginalOlioDriver}. */
    static final Profile OLIO = new Profile(0, 288, 100_000, 0.078, true);
}
