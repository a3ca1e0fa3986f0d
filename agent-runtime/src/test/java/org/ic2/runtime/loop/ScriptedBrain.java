// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** A brain that wants what the test says, and remembers what the loop tells it. Its turns see what the test says, too. */
final class ScriptedBrain implements Brain, TurnSource {

    /** What a decision is to be; {@code desired} is what runs where it is empty. */
    record Wish(Verdict.Step step, Optional<Settings> desired, boolean leadsBack) {
        static final Wish HOLD = new Wish(Verdict.Step.HOLD, Optional.empty(), false);

        static Wish apply(Settings desired) {
            return new Wish(Verdict.Step.APPLY, Optional.of(desired), false);
        }
    }

    final List<String> told = new ArrayList<>();
    final List<TurnInterval> intervals = new ArrayList<>();
    final List<TurnOutcome> outcomes = new ArrayList<>();
    /** What is decided in the next turns. */
    Wish wish = Wish.HOLD;
    /** What a sensor sees of the knobs. */
    Supplier<Settings> visible = Settings::none;
    boolean between;
    /** The knobs that counted as missing in the latest turn. */
    Set<Knob> unsure = Set.of();
    /** What another brain has to read; broken where it is empty. */
    String memory = "scripted";
    private Settings inForce;
    private Optional<String> manual = Optional.empty();
    private int decisions;

    ScriptedBrain(Settings inForce) {
        this.inForce = inForce;
    }

    @Override
    public Turn measure(TurnInterval interval) {
        intervals.add(interval);
        return new Turn() {
            @Override
            public Settings running(Settings otherwise) {
                return otherwise.with(visible.get());
            }

            @Override
            public Verdict decide(Set<Knob> missing) {
                unsure = Knob.set(missing);
                decisions++;
                ScriptedVerdict verdict = new ScriptedVerdict(manual.isPresent() ? Wish.HOLD : wish, "s-" + decisions, inForce);
                inForce = verdict.step() == Verdict.Step.APPLY ? verdict.desired() : inForce;
                manual = verdict.step() == Verdict.Step.ENTER_MANUAL ? Optional.of(verdict.reason()) : manual;
                return verdict;
            }

            @Override
            public void ended(TurnOutcome outcome) {
                outcomes.add(outcome);
            }
        };
    }

    private record ScriptedVerdict(Wish wish, String id, Settings current) implements Verdict {
        @Override
        public Step step() {
            return wish.step();
        }

        @Override
        public String action() {
            return step().name();
        }

        @Override
        public String reason() {
            return "scripted";
        }

        @Override
        public String context() {
            return "TEST";
        }

        @Override
        public boolean leadsBack() {
            return wish.leadsBack();
        }

        @Override
        public Settings desired() {
            return wish.desired().orElse(current);
        }

        @Override
        public boolean notable() {
            return step() != Step.HOLD;
        }

        @Override
        public JsonNode json() {
            return Json.object().put("by", "script");
        }
    }

    private void tell(String what, Settings running) {
        told.add(what);
        inForce = running;
    }

    @Override
    public boolean suspicious() {
        return between;
    }

    @Override
    public boolean between(Instant time) {
        return between;
    }

    @Override
    public Settings inForce() {
        return inForce;
    }

    @Override
    public Optional<String> manual() {
        return manual;
    }

    @Override
    public void restarted(Settings running) {
        tell("restarted", running);
    }

    @Override
    public void undone(Settings running) {
        tell("undone", running);
    }

    @Override
    public void withoutAdvice() {
        told.add("without advice");
    }

    @Override
    public void found(Settings running) {
        inForce = running;
    }

    @Override
    public void enteredManual(String reason) {
        told.add("entered manual mode");
        manual = Optional.of(reason);
    }

    @Override
    public void resumed(Settings running) {
        tell("resumed", running);
        manual = Optional.empty();
    }

    @Override
    public String write() {
        return memory;
    }

    @Override
    public void read(String source, String text) throws IOException {
        if (text.isEmpty()) {
            throw new IOException(source + " is empty");
        }
        memory = text;
    }
}
