// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.resctrl;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.cgroup.GuestThreads;
import org.ic2.host.backend.resctrl.ControlGroups.Setting;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/**
 * A host whose guests also have a part of the last cache and of memory bandwidth, by resctrl; all else is the host's own. A guest's id
 * is its control group there.
 */
public final class ResctrlBackend {
    private final Backend host;
    private final ControlGroups groups;
    private final GuestThreads threads;
    /** What was set here, by guest: threads that others start in its group get it, too. */
    private final Map<String, Setting> set = new HashMap<>();

    private ResctrlBackend(Backend host, Host here) {
        this.host = host;
        groups = new ControlGroups(here);
        threads = new GuestThreads(here);
    }

    /** The host with these knobs. */
    public static Backend of(Backend host, Host here) {
        ResctrlBackend with = new ResctrlBackend(host, here);
        return (Backend) Proxy.newProxyInstance(Backend.class.getClassLoader(), new Class<?>[] {Backend.class},
                (proxy, method, arguments) -> with.answer(method, arguments));
    }

    @SuppressWarnings("unchecked")
    private Object answer(Method method, Object[] arguments) throws Throwable {
        boolean ours = arguments != null && arguments.length > 0 && arguments[0] instanceof GuestKnob knob && knob.kind().ofResctrl();
        switch (method.getName() + (ours ? " of ours" : "")) {
            case "capabilities":
                return capabilities();
            case "has of ours":
                return true;
            case "get of ours":
                return get((GuestKnob) arguments[0]);
            case "exact of ours":
                return Integer.toString(get((GuestKnob) arguments[0]));
            case "set of ours":
                move((GuestKnob) arguments[0], (Integer) arguments[1], false);
                return null;
            case "putBack of ours":
                move((GuestKnob) arguments[0], number((GuestKnob) arguments[0], (String) arguments[1]), true);
                return null;
            case "objections":
                Map<GuestKnob, Integer> others = new LinkedHashMap<>((Map<GuestKnob, Integer>) arguments[0]);
                others.keySet().removeIf(knob -> knob.kind().ofResctrl());
                return host.objections(others);
            case "tidy":
                groups.removeEmpty();
                host.tidy();
                return null;
            case "read":
                return read((Instant) arguments[0], (Set<GuestMetric>) arguments[1]);
            default:
                try {
                    return method.invoke(host, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
        }
    }

    private Capabilities capabilities() throws IOException, InterruptedException {
        Capabilities own = host.capabilities();
        Map<KnobKind, Capabilities.Range> knobs = new HashMap<>(own.knobs());
        List<String> notes = new ArrayList<>(own.notes());
        Optional<String> lack = groups.lack();
        if (lack.isPresent()) {
            notes.add("no cache and no bandwidth: " + lack.get());
        } else {
            groups.ways().ifPresentOrElse(range -> knobs.put(KnobKind.CACHE, range), () ->
                    notes.add("no cache: this processor's last cache cannot be divided (CAT)"));
            groups.bandwidth().ifPresentOrElse(range -> knobs.put(KnobKind.BANDWIDTH, range), () ->
                    notes.add("no bandwidth: this processor does not divide it (MBA), or not in per cent"));
        }
        return new Capabilities(knobs, own.metrics(), notes);
    }

    private HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException, InterruptedException {
        HostSample sample = host.read(now, wanted);
        if (set.keySet().retainAll(sample.guests().stream().map(Guest::uuid).toList())) {
            groups.removeEmpty();
        }
        for (Guest guest : sample.guests()) {
            Setting setting = set.get(guest.uuid());
            try {
                List<Integer> all = setting == null ? List.of() : threads.of(guest.id());
                if (groups.isSplit(all) && groups.of(all).equals(setting)) {
                    groups.set(() -> threads.of(guest.id()), setting, false);
                }
            } catch (IOException e) {
                // who has gone needs nothing; of who has not it is seen when it is looked what is in force
            }
        }
        return sample;
    }

    private Setting setting(GuestKnob knob) throws IOException, InterruptedException {
        try {
            return groups.of(threads.of(require(knob).id()));
        } catch (IOException e) {
            throw new IOException(knob.label() + ": " + e.getMessage(), e);
        }
    }

    private int get(GuestKnob knob) throws IOException, InterruptedException {
        Setting setting = setting(knob);
        return knob.kind() == KnobKind.CACHE ? setting.ways() : setting.percent();
    }

    /** Another guest may have its name, and its group's. */
    private Target.OfGuest require(GuestKnob knob) throws IOException, InterruptedException {
        Target.OfGuest target = knob.target().whose().orElseThrow();
        if (host.guests().stream().noneMatch(guest -> guest.uuid().equals(target.uuid()) && guest.id().equals(target.id()))) {
            throw new IOException("guest " + target.name() + " is gone, or was started again");
        }
        return target;
    }

    private void move(GuestKnob knob, int value, boolean back) throws IOException, InterruptedException {
        Setting before;
        Target.OfGuest target;
        try {
            target = require(knob);
            before = setting(knob);
        } catch (IOException e) {
            throw new NotDoneException("cannot set " + knob.label() + " to " + value + ": " + e.getMessage(), e);
        }
        Setting after = knob.kind() == KnobKind.CACHE ? new Setting(value, before.percent()) : new Setting(before.ways(), value);
        groups.set(() -> threads.of(target.id()), after, back);
        if (after.equals(Setting.NONE)) {
            set.remove(target.uuid());
        } else {
            set.put(target.uuid(), after);
        }
    }

    private static int number(GuestKnob knob, String exact) throws NotDoneException {
        if (!exact.matches("\\d{1,3}")) {
            throw new NotDoneException(knob.label() + ": expected a number to put back, got \"" + exact + "\"");
        }
        return Integer.parseInt(exact);
    }
}
