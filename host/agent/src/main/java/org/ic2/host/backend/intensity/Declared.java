// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Guest;

/** What the provider says of a guest in the file. */
final class Declared implements IntensityMeter {
    @Override
    public String source() {
        return "declared, 0 to 1";
    }

    @Override
    public boolean dear() {
        return false;
    }

    @Override
    public Map<String, Intensity> read(List<Guest> guests) {
        Map<String, Intensity> values = new LinkedHashMap<>();
        guests.forEach(guest -> values.put(guest.uuid(), new Intensity(guest.intensity(),
                Double.isNaN(guest.intensity()) ? "nothing is declared of it" : "")));
        return values;
    }

    @Override
    public void close() {
        // holds nothing
    }
}
