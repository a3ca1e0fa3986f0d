// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What {@code ic2-baseline} did after the agent's death.
 *
 * @param plan    the id of the plan that it carried out
 * @param begun   when
 * @param millis  how long it took
 * @param running what runs, of the knobs of which it knows
 * @param foreign of these what somebody else had set, and it left as it was
 * @param left    why it could not restore something; empty when it could
 */
public record BaselineOutcome(String plan, Instant begun, long millis, Settings running, Settings foreign, String left) {

    private static final Logger LOG = Logger.getLogger(BaselineOutcome.class.getName());
    private static final int MOST_BYTES = 64 * 1024;
    private static final Pattern FORM = Pattern.compile(BaselinePlan.FORM + "\nid ([!-~]{1,100})\nbegun (\\d{1,15})\nmillis (\\d{1,9})\n"
            + "((?:knob [!-~]{1,100} \\d{1,9} (?:same|restored|foreign)\n){0,32})((?:left [^\n]{1,1000}\n){0,16})end\n");
    private static final Pattern KNOB = Pattern.compile("knob (\\S+) (\\d+) (\\w+)\n");
    private static final String ID = "baseline";

    /**
     * Reads it.
     *
     * @param knobs those that the agent knows
     * @return empty when it is no outcome, or one of a knob that is not known
     */
    public static Optional<BaselineOutcome> parse(String text, Collection<? extends Knob> knobs) {
        Matcher whole = FORM.matcher(text);
        if (!whole.matches()) {
            return Optional.empty();
        }
        Map<Knob, Integer> running = new TreeMap<>(Knob.ORDER);
        Map<Knob, Integer> foreign = new TreeMap<>(Knob.ORDER);
        Matcher line = KNOB.matcher(whole.group(4));
        while (line.find()) {
            String key = line.group(1);
            Optional<? extends Knob> knob = knobs.stream().filter(known -> known.key().equals(key)).findFirst();
            int value = Integer.parseInt(line.group(2));
            if (knob.isEmpty() || value < knob.get().least()) {
                return Optional.empty();
            }
            running.put(knob.get(), value);
            if (line.group(3).equals("foreign")) {
                foreign.put(knob.get(), value);
            }
        }
        String left = whole.group(5).strip().replaceAll("(?m)^left ", "").replace("\n", "; ");
        return Optional.of(new BaselineOutcome(whole.group(1), Instant.ofEpochMilli(Long.parseLong(whole.group(2))),
                Long.parseLong(whole.group(3)), Settings.of(running), Settings.of(foreign), left));
    }

    /**
     * Writes what the program did into the journal, and removes plan and outcome: the next entry makes a plan anew. An
     * outcome of another plan than the last is none.
     *
     * @param baseline of now
     */
    public static void takeUp(Journal journal, Collection<? extends Knob> knobs, Settings baseline) {
        Path plan = BaselinePlan.beside(journal.file());
        Path outcome = plan.resolveSibling("baseline.outcome");
        try {
            if (Files.exists(outcome) && Files.exists(plan)) {
                String planned = BoundedText.file(plan, MOST_BYTES, StandardCharsets.US_ASCII);
                String done = BoundedText.file(outcome, MOST_BYTES, StandardCharsets.UTF_8);
                Optional<BaselineOutcome> found = parse(done, knobs).filter(read -> planned.startsWith(BaselinePlan.FORM + "\nid "
                        + read.plan() + "\n"));
                if (found.isPresent()) {
                    found.get().write(journal, JournalReplay.of(journal.history(), baseline), baseline);
                } else {
                    LOG.warning(outcome + " is no outcome of ic2-baseline, or not of the last plan; the journal decides");
                }
            }
            Files.deleteIfExists(plan);
            Files.deleteIfExists(outcome);
        } catch (IOException e) {
            LOG.warning("what ic2-baseline did is not known, the journal decides: " + e);
        }
    }

    private void write(Journal journal, JournalReplay past, Settings baseline) throws IOException {
        if (past.leftBehind().isEmpty() || past.manual().isPresent()) {
            return;
        }
        Entry.Request request = new Entry.Request(ID, ChangeRequest.Origin.RECOVERY.name(), "RESTORE", past.leftBehind().get()
                + "; ic2-baseline restored the baseline");
        for (Entry entry : entries(request, past, baseline)) {
            journal.append(entry);
        }
        LOG.warning(() -> past.leftBehind().get() + "; ic2-baseline " + (left.isEmpty() ? "restored the baseline"
                : "could not restore all of it: " + left) + " (" + millis + " ms)");
    }

    private List<Entry> entries(Entry.Request request, JournalReplay past, Settings baseline) {
        Instant end = begun.plusMillis(millis);
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry.Intent(begun, request, Optional.empty(), Optional.of(baseline.with(foreign)), Optional.empty()));
        if (!left.isEmpty()) {
            entries.add(new Entry.Failed(end, request, left, false, past.epoch() + 1, Optional.empty()));
            return entries;
        }
        entries.add(new Entry.Applied(end, request, millis, past.epoch() + 1, Optional.of(baseline.with(running)), ""));
        if (!foreign.values().isEmpty()) {
            entries.add(new Entry.Manual(end, "after the agent had ended somebody else set " + foreign.describe(), Optional.empty(), ""));
        }
        return entries;
    }
}
