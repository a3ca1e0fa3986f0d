// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.spi;

/**
 * Hears what happens below an operation: connections, bytes, pages built for another visitor. The context of the embedded
 * runtime implements it; calls come from the users' threads.
 */
public interface LoadObserver {
    /** Hears nothing: what a driver uses on a real Faban. */
    LoadObserver NONE = new LoadObserver() {
        @Override
        public void connected(boolean again, boolean resumed) {
        }

        @Override
        public void received(long bytes) {
        }

        @Override
        public void leaked() {
        }
    };

    /**
     * A connection has been opened.
     *
     * @param again   the server had closed the one before (no error: that is how a keep-alive timeout ends)
     * @param resumed TLS resumed an earlier session
     */
    void connected(boolean again, boolean resumed);

    /**
     * A response, or a part of it, came in.
     *
     * @param bytes size of head and body as sent, without TLS
     */
    void received(long bytes);

    /** A page came that was built for another visitor. The operation fails as well. */
    void leaked();

    /**
     * A page came that says when it was built. The clocks of server and load have to agree.
     *
     * @param age how long before it was asked for the page was built, seconds; 0 when it was built for the request
     */
    default void page(double age) {
    }

    /** The page that came last lacked optional parts, as it said itself. */
    default void pageLeftOut() {
    }

    /**
     * A file of a page was fetched.
     *
     * @param unchanged it was asked for with a condition, and the server said that the browser's copy is good
     */
    default void file(boolean unchanged) {
    }

    /** An operation succeeded for a visitor who is not logged in. */
    default void anonymous() {
    }
}
