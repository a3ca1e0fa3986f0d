// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.PoolAdvice;
import org.ic2.host.learn.Library;
import org.ic2.host.model.KnobProposal;

/**
 * What the controllers of a configuration would do now, and which scheduler the pools should have.
 *
 * @param opinions of the controllers, in the configuration's order
 * @param unread   why knobs that they own have no value
 * @param pools    which scheduler each pool should have
 * @param own      what other hosts would be told of this one; none of a recording, or where nobody is asked
 */
public record Advice(List<Opinion> opinions, List<String> unread, List<PoolAdvice> pools, Optional<FleetHost> own) {
    public Advice {
        opinions = List.copyOf(opinions);
        unread = List.copyOf(unread);
        pools = List.copyOf(pools);
    }

    /**
     * What one controller would do.
     *
     * @param controller its name
     * @param time       when it was asked
     * @param wanted     what it wants, what is in force already included
     * @param region     where the load is; none of a controller without regions, or where that cannot be told
     * @param alarms     what a person must see to
     * @param held       why it wants nothing of what it could have moved
     * @param tells      false when it lacks what it decides by
     */
    public record Opinion(String controller, Instant time, List<Wanted> wanted, Optional<InRegion> region, List<String> alarms,
            List<String> held, boolean tells) {
        public Opinion {
            wanted = List.copyOf(wanted);
            alarms = List.copyOf(alarms);
            held = List.copyOf(held);
        }
    }

    /**
     * A value that is wanted.
     *
     * @param proposal  with its formula and numbers
     * @param inForce   the value in force
     * @param next      what a single change would make of it; none where no host was asked, or it is in force already
     * @param objection what the host has against that
     */
    public record Wanted(KnobProposal proposal, int inForce, Optional<Integer> next, Optional<String> objection) {
    }

    /**
     * Where the load is among the regions of a library.
     *
     * @param load     by the features' names
     * @param place    the nearest region and the distance from it
     * @param settings its values for this host's knobs; none of an unknown load, or a region without a setting
     */
    public record InRegion(Map<String, Double> load, Library.Place place, List<Wanted> settings) {
        public InRegion {
            load = Collections.unmodifiableMap(new LinkedHashMap<>(load));
            settings = List.copyOf(settings);
        }
    }

    /** False when a controller lacks what it decides by. */
    public boolean tells() {
        return opinions.stream().allMatch(Opinion::tells);
    }
}
