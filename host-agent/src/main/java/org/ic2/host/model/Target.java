// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

/** Whose knob it is. */
public sealed interface Target {

    /** Which one, over restarts of the host's agent. */
    String identity();

    /** For people. */
    String name();

    /** A guest's; {@code id} is its backend's address while it runs. */
    record OfGuest(String id, String uuid, String name) implements Target {
        /** A guest's. */
        public static OfGuest of(Guest guest) {
            return new OfGuest(guest.id(), guest.uuid(), guest.name());
        }

        @Override
        public String identity() {
            return uuid;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof OfGuest that && uuid.equals(that.uuid);
        }

        @Override
        public int hashCode() {
            return uuid.hashCode();
        }
    }

    /** A pool's. */
    record OfPool(String name) implements Target {
        @Override
        public String identity() {
            return "pool " + name;
        }
    }
}
