// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What the journal tells a new start.
 *
 * @param actions    when the agent changed values, or may have
 * @param byHand     when people left the baseline, or may have
 * @param lastAway   when they last were led away from the baseline
 * @param epoch      the last epoch
 * @param leftBehind what the previous agent changed, or may have changed, and did not restore: in words; empty when it
 *                   left the baseline, or what a person wanted
 * @param moved      the levers that were away from the baseline of their time, as far as known
 * @param open       what was sent and has no outcome; its command may still run
 * @param manual     why manual mode is on; empty when it is off
 * @param until      when the agent takes over again from this person; empty: when it is told to
 * @param inForce    what ran after the last action, as far as known
 * @param mode       the mode of the last start
 */
public record JournalReplay(List<Instant> actions, List<Instant> byHand, Optional<Instant> lastAway, long epoch, Optional<String> leftBehind,
        Set<Knob> moved, List<Settings> open, Optional<String> manual, Optional<Instant> until, Optional<Settings> inForce,
        Optional<String> mode) {

    /**
     * Reads a journal's lines, oldest first.
     *
     * @param baseline of now; that of a line's own time is in the journal
     */
    public static JournalReplay of(List<Line> lines, Settings baseline) {
        Reader reader = new Reader(baseline);
        lines.forEach(reader::read);
        return new JournalReplay(reader.actions, reader.byHand, Optional.ofNullable(reader.lastAway), reader.epoch,
                Optional.ofNullable(reader.leftBehind), reader.moved, reader.open, Optional.ofNullable(reader.manual),
                reader.until, Optional.ofNullable(reader.inForce), Optional.ofNullable(reader.mode));
    }

    /** The same as it is at a time: a manual mode that lasted until then is over. */
    public JournalReplay asOf(Instant now) {
        return until.filter(end -> !now.isBefore(end)).isEmpty() ? this : new JournalReplay(actions, byHand, lastAway, epoch, leftBehind, moved,
                open, Optional.empty(), Optional.empty(), inForce, mode);
    }

    private static final class Reader {
        /** {@code ChangeRequest.Origin.OPERATOR}. */
        private static final String BY_HAND = "OPERATOR";

        private final Settings baseline;
        private final Set<Knob> moved = Knob.set(Set.of());
        private final List<Settings> open = new ArrayList<>();
        private Settings baselineThen;
        private final List<Instant> actions = new ArrayList<>();
        private final List<Instant> byHand = new ArrayList<>();
        private Instant lastAway;
        private long epoch;
        private String leftBehind;
        private String manual;
        private Optional<Instant> until = Optional.empty();
        private Settings inForce;
        private String mode;

        Reader(Settings baseline) {
            this.baseline = baseline;
            this.baselineThen = baseline;
        }

        void read(Line line) {
            Entry entry = line.entry();
            epoch = Math.max(epoch, entry.epoch());
            baselineThen = whole(line.baseline()).orElse(baselineThen);
            if (entry instanceof Entry.Start start) {
                mode = start.mode();
            } else if (entry instanceof Entry.Intent intent) {
                intent(intent);
            } else if (entry instanceof Entry.Applied) {
                ran(entry, "the agent ended with ");
            } else if (entry instanceof Entry.Failed) {
                ran(entry, "the agent ended after a failed action, with ");
            } else if (entry instanceof Entry.Manual taken) {
                manual = taken.reason();
                until = taken.until();
            } else if (entry instanceof Entry.Resume) {
                manual = null;
                until = Optional.empty();
            }
        }

        private void intent(Entry.Intent intent) {
            Optional<Settings> desired = whole(intent.desired());
            desired.ifPresent(this::compare);
            open.add(sent(intent.before(), desired.orElse(baseline)));
            leftBehind = "the agent ended in the middle of " + intent.id() + " (" + describe(desired) + ")";
            if (intent.time().equals(Instant.EPOCH)) {
                return;     // of a time that cannot be read nothing can be counted
            }
            boolean away = !desired.equals(Optional.of(baseline));
            if (!intent.request().origin().equals(BY_HAND)) {
                actions.add(intent.time());
            } else if (away && whole(intent.before()).filter(before -> !before.equals(baseline)).isEmpty()) {
                byHand.add(intent.time());
            }
            if (away) {
                lastAway = intent.time();
            }
        }

        private Settings sent(Optional<Settings> before, Settings desired) {
            return before.map(ran -> desired.only(desired.diff(baseline.with(ran)))).orElse(desired);
        }

        private void ran(Entry entry, String ended) {
            Optional<Settings> now = whole(entry.running());
            now.ifPresent(configuration -> {
                compare(configuration);
                inForce = configuration;
                open.clear();
            });
            leftBehind = now.equals(Optional.of(baseline)) ? null : ended + describe(now) + " in force";
        }

        /** What a line says; a knob that it does not know, because it is older, is at the baseline. */
        private Optional<Settings> whole(Optional<Settings> said) {
            return said.map(baseline::with);
        }

        private static String describe(Optional<Settings> values) {
            return values.map(Settings::describe).orElse("unknown values");
        }

        private void compare(Settings configuration) {
            moved.clear();
            moved.addAll(configuration.diff(baselineThen));
        }
    }
}
