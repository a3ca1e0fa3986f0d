// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.Optional;

/** Whose knob it is. */
public sealed interface Target {

    /** Which one, over restarts of the host's agent. */
    String identity();

    /** For people. */
    String name();

    /** The guest, if it is a guest's or one of its virtual CPUs'. */
    default Optional<OfGuest> whose() {
        return Optional.empty();
    }

    /** True if it is the same, under the same address while it runs. */
    default boolean isStill(Target other) {
        return equals(other) && whose().map(OfGuest::id).equals(other.whose().map(OfGuest::id));
    }

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
        public Optional<OfGuest> whose() {
            return Optional.of(this);
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

    /** A guest's virtual CPU's, by its number in the guest from 0 on. */
    record OfVcpu(OfGuest guest, int number) implements Target {
        @Override
        public String identity() {
            return guest.uuid() + " vcpu " + number;
        }

        @Override
        public String name() {
            return guest.name() + " vCPU " + number;
        }

        @Override
        public Optional<OfGuest> whose() {
            return Optional.of(guest);
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
