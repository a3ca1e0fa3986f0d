// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.logging.Logger;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.Homecoming;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.loop.Mode;

/**
 * Guests of which the kernel killed a process for want of memory. One kill is enough: whatever the cause was, nothing of such a
 * guest is moved any more before a person says so. Not thread-safe but for what is told.
 */
final class OomWatch {

    private static final Logger LOG = Logger.getLogger(OomWatch.class.getName());
    private static final int MOST_ALERTS = 100;

    private final Mode mode;
    private final Applier applier;
    private final Consumer<Entry> journal;
    /** Who is left alone, and why, by uuid. */
    private final Map<String, String> held = new LinkedHashMap<>();
    /** What no turn has heard of yet, by uuid. */
    private final Map<String, Long> fresh = new LinkedHashMap<>();
    private volatile Map<String, Long> totals = Map.of();
    private volatile List<String> alerts = List.of();

    OomWatch(Mode mode, Applier applier, Consumer<Entry> journal) {
        this.mode = mode;
        this.applier = applier;
        this.journal = journal;
    }

    /** Who was left alone by the agent before is left alone by this one. */
    void recall(List<Line> history) {
        for (Line line : history) {
            if (line.entry() instanceof Entry.Decided decided && decided.action().equals(Entry.Decided.OOM_KILL)
                    && decided.mode().equals(Mode.ACT.toString())) {
                held.put(decided.id(), decided.reason().split(";", 2)[0]);
                add(decided.time() + " " + decided.reason());
            }
        }
    }

    /** Takes note of kills, also in a turn of which nothing comes. */
    void count(HostSample sample) {
        for (Guest guest : sample.guests()) {
            double kills = sample.get(guest, GuestMetric.MEM_OOM_KILLS);
            if (kills > 0) {
                fresh.merge(guest.uuid(), Math.round(kills), Long::sum);
            }
        }
    }

    /**
     * Of each guest of which samples told kills all goes to the baseline and stays there until a person hands it back. What of it
     * is not there yet is tried again each turn.
     */
    void look(HostSample sample, String turn, Instant now) throws InterruptedException {
        for (Guest guest : sample.guests()) {
            Long kills = fresh.remove(guest.uuid());
            if (kills != null) {
                Map<String, Long> more = new LinkedHashMap<>(totals);
                more.merge(guest.uuid(), kills, Long::sum);
                totals = more;
                killed(guest, kills, turn, now);
            } else if (isHeld(guest)) {
                Homecoming home = applier.leave(turn, guest, held.get(guest.uuid()));
                home.restored().forEach(knob -> LOG.info("restored " + knob));
            }
        }
        fresh.clear();
    }

    /** After the machine has booted a control group's number may be another's. */
    private boolean isHeld(Guest guest) {
        return mode == Mode.ACT && held.getOrDefault(guest.uuid(), "").startsWith(guest.name() + ": ");
    }

    private void killed(Guest guest, long kills, String turn, Instant now) throws InterruptedException {
        String why = guest.name() + ": the kernel killed " + kills + " of its processes for want of memory";
        if (mode != Mode.ACT) {
            alert(guest, now, why);
            return;
        }
        held.put(guest.uuid(), why);
        alert(guest, now, why + "; " + applier.leave(turn, guest, why).text() + "; \"ic2-host resume\" takes it over again");
    }

    private void alert(Guest guest, Instant now, String text) {
        LOG.severe(text);
        add(now + " " + text);
        journal.accept(new Entry.Decided(now, guest.uuid(), mode.toString(), Entry.Decided.OOM_KILL, text, Optional.empty()));
    }

    private void add(String alert) {
        List<String> more = new ArrayList<>(alerts);
        more.add(alert);
        alerts = List.copyOf(more.subList(Math.max(0, more.size() - MOST_ALERTS), more.size()));
    }

    /** A person has seen to it. */
    void resume() {
        held.clear();
        alerts = List.of();
    }

    List<String> alerts() {
        return alerts;
    }

    /** Kills of a guest since the agent started. */
    long total(Guest guest) {
        return totals.getOrDefault(guest.uuid(), 0L);
    }
}
