// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.ic2.host.control.FleetHost;
import org.ic2.runtime.json.Json;

/** The part of a status that other hosts read. */
public final class FleetStatus {
    private FleetStatus() {
    }

    public static String of(FleetHost host) {
        ObjectNode json = Json.object().put("mode", "act").put("time", host.time().toString());
        ArrayNode guests = json.putArray("guests");
        guests.addObject().put("uuid", "0").put("id", "0").put("name", "Domain-0").put("class", "HOST");
        host.guests().forEach(guest -> guests.addObject().put("uuid", guest.uuid()).put("id", guest.id()).put("name", guest.name())
                .put("class", guest.guestClass().name()));
        FleetJson.put(json, host);
        return Json.text(json);
    }
}
