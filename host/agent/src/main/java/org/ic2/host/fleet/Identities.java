// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;

/**
 * Which guest is the same on another host. Backends tell which it is on its own: a machine of QEMU by its UUID and its process, a
 * domain of Xen by its UUID and its number, a control group by a number that another host may have, too.
 */
public final class Identities {
    private static final Pattern UUID = Pattern.compile("([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})([@/].*)?");
    /** Of machines that were given none. */
    private static final String NIL = "00000000-0000-0000-0000-000000000000";

    private Identities() {
    }

    /** A host by its name in the fleet, its guests by their UUIDs alone; those without one, or with another's, are nowhere else. */
    public static FleetHost named(String name, FleetHost host) {
        Set<String> taken = new HashSet<>();
        List<Resident> guests = new ArrayList<>();
        for (Resident guest : host.guests()) {
            Matcher of = UUID.matcher(guest.uuid().toLowerCase(Locale.ROOT));
            boolean alone = of.matches() && !of.group(1).equals(NIL) && taken.add(of.group(1));
            guests.add(new Resident(alone ? of.group(1) : name + "/" + guest.uuid(), guest.id(), guest.name(), guest.guestClass(),
                    guest.intensity(), guest.memory(), guest.cpu(), guest.latency()));
        }
        return new FleetHost(name, host.time(), host.memoryFree(), host.cpus(), guests);
    }
}
