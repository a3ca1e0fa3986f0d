// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * Writes what is asked for to a group's files, and then tells systemd, where that has the group for a unit: so no reclaim holds up
 * systemd, and what it sets then is there already.
 */
final class GroupMoves {
    private final Host host;
    private final GroupTree tree;
    private final SlowWrites slowly;
    private final SystemdUnits units;

    GroupMoves(Host host, GroupTree tree, SlowWrites slowly, SystemdUnits units) {
        this.host = host;
        this.tree = tree;
        this.slowly = slowly;
        this.units = units;
    }

    /** What has to be written. */
    private interface Writes {
        List<GroupKnobs.Write> of(GroupFiles files, GroupFile file) throws IOException, InterruptedException;
    }

    /** What is about to be done, before anything is. */
    private record Plan(GuestKnob knob, GroupFiles files, GroupFile file, List<GroupKnobs.Write> writes, Optional<String> unit, String before) {
    }

    private Plan plan(GuestKnob knob, String value, Writes how) throws NotDoneException, InterruptedException {
        Target.OfGuest guest = knob.target().whose().orElseThrow();
        try {
            GroupFiles files = tree.files(guest, true);
            GroupFile file = GroupKnobs.file(files, knob.kind());
            List<GroupKnobs.Write> writes = how.of(files, file);
            Optional<String> unit = units.of(guest, file);
            return new Plan(knob, files, file, writes, unit, unit.isPresent() ? GroupKnobs.exact(files, file) : "");
        } catch (IOException e) {
            throw new NotDoneException("cannot set " + knob.label() + " to " + value + ": " + e.getMessage(), e);
        }
    }

    void set(GuestKnob knob, int value) throws IOException, InterruptedException {
        Plan plan = plan(knob, Integer.toString(value), (files, file) -> GroupKnobs.writes(files, file, value));
        write(plan, plan.writes());
        if (plan.unit().isPresent()) {
            try {
                units.tell(plan.unit().get(), plan.file(), plan.files().read(plan.file()));
            } catch (IOException e) {
                write(plan, GroupKnobs.back(plan.files(), plan.file(), plan.before()));
                throw new NotDoneException("cannot set " + knob.label() + " to " + value + ": " + e.getMessage(), e);
            }
        }
    }

    /** Of what systemd rounds its file is written again. */
    void putBack(GuestKnob knob, String exact) throws IOException, InterruptedException {
        String text = SystemdUnits.unmarked(exact);
        Plan plan = plan(knob, text, (files, file) -> GroupKnobs.back(files, file, text));
        write(plan, plan.writes());
        if (plan.unit().isPresent() && SystemdUnits.isMarked(exact)) {
            units.tell(plan.unit().get(), plan.file(), plan.files().read(plan.file()));
            if (!GroupKnobs.exact(plan.files(), plan.file()).equals(text)) {
                write(plan, GroupKnobs.back(plan.files(), plan.file(), text));
            }
            units.forget(plan.unit().get(), knob.kind(), exact);
        }
    }

    /**
     * A guest that is made anew has files of the same names. Its directory is opened before it is asked whether it is still the
     * one that is meant: what is removed after that takes no write, and what takes its name gets none.
     */
    private void write(Plan plan, List<GroupKnobs.Write> writes) throws IOException, InterruptedException {
        Target.OfGuest guest = plan.knob().target().whose().orElseThrow();
        for (GroupKnobs.Write write : writes) {
            String directory = plan.files().directory(write.file()).orElseThrow();
            String name = write.file().file();
            if (plan.knob().kind() == KnobKind.MEMORY) {
                slowly.write(directory, name, write.text(), () -> tree.require(guest));
                continue;
            }
            try {
                host.write(directory, name, write.text(), () -> tree.require(guest));
            } catch (IOException e) {
                throw new NotDoneException("cannot write " + write.text() + " to " + directory + "/" + name + ": " + e.getMessage(), e);
            }
        }
    }
}
