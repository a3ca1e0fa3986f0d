// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.RestoreMarker;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.apply.SavedKnob;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.BackendChoice;
import org.ic2.host.config.BackendJson;
import org.ic2.host.config.HostConfig;
import org.ic2.host.model.GuestKnob;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.yaml.ConfigException;

/**
 * The restore of what an agent that has ended left, before anything else. It asks not what the host has: what was moved there
 * says the snapshot, through which host too, and a restore is always allowed. Nor does it need the configuration as it is by then.
 */
public final class StartupRestore {

    /** Why it is put back. */
    static final String LEFT = "an earlier agent left it";

    private static final Logger LOG = Logger.getLogger(StartupRestore.class.getName());

    /** Changes in an hour; the restore is not held up by them. */
    private static final int ACTIONS = 10_000;

    private StartupRestore() {
    }

    /** The backend that the file names, for what was moved before snapshots said theirs. */
    public interface Named {
        BackendChoice get() throws ConfigException;
    }

    /** Who wants it restored, and why. */
    private record Cause(String id, ChangeRequest.Origin origin, String why) {
        static final Cause BY_HAND = new Cause("by-hand", ChangeRequest.Origin.OPERATOR, "restored without an agent");
        static final Cause START = new Cause("start", ChangeRequest.Origin.RECOVERY, LEFT);
    }

    /** What came of the restore from one journal. */
    record Left(Path journal, RestoreResult result) {

        /** Refuses to start beside another journal while something is away: what runs would be taken for the baseline. */
        private void refuseBeside(HostConfig config) throws IOException {
            if (!result.isAtBaseline() && !RestoreMarker.same(journal, config.journal())) {
                throw new IOException(config.source() + ": journal: expected " + journal + ", as what its agent moved is still away, got "
                        + config.journal() + "; " + result.text() + "; " + remedy(journal));
            }
        }
    }

    private static String remedy(Path journal) {
        return "run ic2-host restore until all is at the baseline, or put it right by hand and remove " + HostConfig.snapshotBeside(journal);
    }

    /**
     * The restore where no agent runs, through the host through which things were moved.
     *
     * @param journal beside which the snapshot lies
     * @param mark    that leads there, if one does
     * @throws IOException when another agent has the journal, or the host or the snapshot cannot be read
     */
    public static RestoreResult restore(Path journal, Optional<RestoreMarker> mark, Named named)
            throws IOException, ConfigException, InterruptedException {
        return restore(journal, mark, named, Cause.BY_HAND);
    }

    private static RestoreResult restore(Path journal, Optional<RestoreMarker> mark, Named named, Cause cause)
            throws IOException, ConfigException, InterruptedException {
        Path file = HostConfig.snapshotBeside(journal);
        Snapshot noted = HostAgent.snapshot(file, Optional.empty());
        if (noted.all().isEmpty()) {
            return new RestoreResult(List.of(), List.of(), List.of());
        }
        BackendChoice through = noted.through().isPresent() ? noted.through().get() : named.get();
        try (Journal kept = new Journal(journal, Clock.systemUTC(), Set.of()); Backend backend = open(through, journal)) {
            Snapshot snapshot = HostAgent.snapshot(file, Optional.of(new Snapshot.Way(through, journal, mark)));
            return new Applier(new ApplierParts(backend, kept, snapshot, new Ownership(List.of()), new KnobLimits(Map.of(), Map.of()),
                    ACTIONS, true, Clock.systemUTC(), System::nanoTime)).restore(cause.id(), cause.origin(), cause.why());
        }
    }

    private static Backend open(BackendChoice through, Path journal) throws IOException {
        try {
            return Backends.open(through);
        } catch (IOException | ConfigException e) {
            throw new IOException("what is noted in " + HostConfig.snapshotBeside(journal) + " cannot be put back through "
                    + BackendJson.text(through) + ": " + e.getMessage() + "; " + remedy(journal), e);
        }
    }

    /**
     * First of all at a start, whatever the file says by now: restores what the agent of the marked journal has left.
     *
     * @return what came of it; empty where no journal is marked
     */
    static Optional<Left> marked(RestoreMarker mark, Named named) throws IOException, ConfigException, InterruptedException {
        Optional<Path> journal = mark.journal();
        if (journal.isEmpty()) {
            return Optional.empty();
        }
        Left left = new Left(journal.get(), restore(journal.get(), Optional.of(mark), named, Cause.START));
        log(left.result());
        return Optional.of(left);
    }

    /**
     * Then, once the file is read: restores what is noted beside its journal, where that was not the marked one.
     *
     * @throws IOException when something is away that the next agent would not find, as the file names another journal
     */
    static void restore(HostConfig config, RestoreMarker mark, Optional<Left> left)
            throws IOException, ConfigException, InterruptedException {
        if (left.isPresent()) {
            left.get().refuseBeside(config);
        }
        if (left.isEmpty() || !RestoreMarker.same(left.get().journal(), config.journal())) {
            log(restore(config.journal(), Optional.of(mark), config::backend, Cause.START));
        }
    }

    /**
     * Last, for who has the journal. What somebody else has set on another host than the file's is no concern of the next agent.
     *
     * @throws IOException when something is away that was moved through another host
     */
    static void leaveOthers(HostConfig config, RestoreMarker mark) throws IOException {
        Optional<BackendChoice> other = HostAgent.snapshot(config.snapshot(), Optional.empty()).through()
                .filter(through -> !through.equals(config.backend()));
        if (other.isEmpty()) {
            return;
        }
        Snapshot snapshot = HostAgent.snapshot(config.snapshot(),
                Optional.of(new Snapshot.Way(other.get(), config.journal(), Optional.of(mark))));
        if (!snapshot.isAtBaseline()) {
            throw new IOException(config.source() + ": backend: expected " + BackendJson.text(other.get()) + ", as what was moved through it"
                    + " is still away, got " + BackendJson.text(config.backend()) + "; " + remedy(config.journal()));
        }
        List<GuestKnob> theirs = snapshot.all().stream().map(SavedKnob::knob).toList();
        LOG.info(() -> "theirs for good, as the backend is another now: " + theirs.stream().map(GuestKnob::label).toList());
        snapshot.forget(theirs);
    }

    /** Restores what is noted beside another journal, for a process that has its own already and restores from there itself. */
    static void restoreBeside(HostConfig config) throws IOException, ConfigException, InterruptedException {
        RestoreMarker mark = RestoreMarker.of(config.source());
        if (mark.journal().filter(other -> !RestoreMarker.same(other, config.journal())).isPresent()) {
            marked(mark, config::backend).orElseThrow().refuseBeside(config);
        }
    }

    static void log(RestoreResult result) {
        if (!result.restored().isEmpty() || !result.foreign().isEmpty() || !result.isAtBaseline()) {
            LOG.log(result.isAtBaseline() ? Level.INFO : Level.SEVERE, result.text());
        }
    }
}
