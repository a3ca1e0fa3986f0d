// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.time.Instant;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Settings;

/** Writes into the journal what the loop itself does: begin, end, manual mode, decisions that nothing comes of. */
final class LoopLog {

    private static final Logger LOG = Logger.getLogger(LoopLog.class.getName());

    private final Journal journal;
    private final AgentPolicy mandate;

    LoopLog(Journal journal, AgentPolicy mandate) {
        this.journal = journal;
        this.mandate = mandate;
    }

    void started(Settings running, String reason) {
        journal.note(new Entry.Start(journal.now(), mandate.mode().toString(), mandate.application(), Optional.of(running),
                Optional.of(mandate.limits().baseline()), reason));
    }

    /** What an earlier agent left behind, and what becomes of it. */
    void leftBehind(JournalReplay past, String leftBehind, boolean restored) {
        LOG.warning(leftBehind + (restored ? "; restoring the baseline"
                : past.manual().isPresent() ? "; kept, manual mode"
                : mandate.acts() ? "; kept, as on-exit says"
                : "; nothing is changed in mode " + mandate.mode() + ": run \"ic2 restore\""));
        past.moved().stream().filter(lever -> !mandate.limits().levers().contains(lever))
                .forEach(lever -> LOG.severe("an earlier agent changed " + lever.key() + ", which is no lever any more:"
                        + " put it back by hand, or allow the lever again and restart"));
    }

    void decided(Verdict verdict) {
        String advice = verdict.step() == Verdict.Step.APPLY && mandate.mode() != Mode.OBSERVE
                ? "would " + verdict.action() + " to " + verdict.desired().describe() + ": " : "";
        LOG.info(() -> verdict.id() + " " + verdict.context() + ": " + advice + verdict.reason());
        journal.note(new Entry.Decided(journal.now(), verdict.id(), mandate.mode().toString(), verdict.action(),
                verdict.reason(), Optional.of(verdict.json())));
    }

    void manual(String reason, Optional<Instant> until, String by) {
        journal.note(new Entry.Manual(journal.now(), reason, until, by));
    }

    void resumed(String reason, String by) {
        journal.note(new Entry.Resume(journal.now(), reason, by));
    }

    void stopped(String reason, Settings running) {
        journal.note(new Entry.Stop(journal.now(), reason, Optional.of(running)));
    }
}
