// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.Target;

/**
 * Guests that run again with what was set of them in an earlier run: what we set is not what they were before we came, which was noted
 * of that run. A guest that runs again with another value has what its own definition says, and nothing is noted of it.
 */
final class LaterRuns {
    private final Backend backend;
    private final Snapshot snapshot;

    LaterRuns(Backend backend, Snapshot snapshot) {
        this.backend = backend;
        this.snapshot = snapshot;
    }

    /** What was noted of an earlier run holds for this knob from now on, if it runs with a value of ours. */
    void look(GuestKnob now) throws IOException, InterruptedException {
        if (snapshot.of(now).isPresent()) {
            return;
        }
        for (SavedKnob earlier : snapshot.all()) {
            if (continues(now, earlier.knob())) {
                int running = backend.get(now);
                if (running != earlier.original() && earlier.mayBeOurs(running, backend.gradual(now.kind()))) {
                    snapshot.continueAs(earlier, now);
                }
                return;
            }
        }
    }

    /** The same for all that runs. */
    void look(List<Guest> guests) throws IOException, InterruptedException {
        for (SavedKnob earlier : snapshot.all()) {
            for (Guest guest : guests) {
                Optional<GuestKnob> now = GuestKnob.all(earlier.knob().kind(), guest).stream()
                        .filter(knob -> continues(knob, earlier.knob())).findFirst();
                if (now.isPresent()) {
                    look(now.get());
                }
            }
        }
    }

    private boolean continues(GuestKnob now, GuestKnob earlier) {
        Optional<Target.OfGuest> guest = now.target().whose();
        Optional<Target.OfGuest> before = earlier.target().whose();
        return now.kind() == earlier.kind() && guest.isPresent() && before.isPresent() && number(now) == number(earlier)
                && backend.continues(guest.get(), before.get());
    }

    private static int number(GuestKnob knob) {
        return knob.target() instanceof Target.OfVcpu vcpu ? vcpu.number() : -1;
    }
}
