// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.time.Clock;
import java.util.function.LongSupplier;
import org.ic2.host.backend.Backend;
import org.ic2.runtime.journal.Journal;

/**
 * What an {@link Applier} works on.
 *
 * @param paced false where knobs need not rest between two changes: a search tries one setting after the other
 */
public record ApplierParts(Backend backend, Journal journal, Snapshot snapshot, Ownership ownership, KnobLimits floors,
        int actionsPerHour, boolean paced, Clock clock, LongSupplier nanoClock) {
}
