// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.io.IOException;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Settings;

/** Writes into the journal what the loop itself does: begin, end, who is in charge, decisions that nothing comes of. */
final class LoopLog {

    private static final Logger LOG = Logger.getLogger(LoopLog.class.getName());

    private final Journal journal;
    private final Mandate mandate;

    LoopLog(Journal journal, Mandate mandate) {
        this.journal = journal;
        this.mandate = mandate;
    }

    void started(Settings running, String reason) {
        write(new Entry.Start(journal.now(), mandate.mode().toString(), mandate.application(), Optional.of(running),
                Optional.of(mandate.limits().baseline()), reason));
    }

    void decided(Verdict verdict) {
        String advice = verdict.step() == Verdict.Step.APPLY && mandate.mode() != Mode.OBSERVE
                ? "would " + verdict.action() + " to " + verdict.desired().describe() + ": " : "";
        LOG.info(() -> verdict.id() + " " + verdict.context() + ": " + advice + verdict.reason());
        write(new Entry.Decided(journal.now(), verdict.id(), mandate.mode().toString(), verdict.action(),
                verdict.reason(), Optional.of(verdict.json())));
    }

    void manual(String reason) {
        write(new Entry.Manual(journal.now(), reason));
    }

    void resumed(String reason) {
        write(new Entry.Resume(journal.now(), reason));
    }

    void stopped(String reason, Settings running) {
        write(new Entry.Stop(journal.now(), reason, Optional.of(running)));
    }

    private void write(Entry entry) {
        try {
            journal.append(entry);
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }
}
