// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;

/** Who runs and cannot be a guest: said when it begins and when it ends, not in each turn. */
final class RefusedGuests {

    private static final Logger LOG = Logger.getLogger(RefusedGuests.class.getName());

    private volatile Map<String, String> known = Map.of();

    /** @param now why, by whom, as the backend says */
    void look(Map<String, String> now) {
        Map<String, String> before = known;
        known = new LinkedHashMap<>(now);
        now.forEach((whom, why) -> {
            if (!why.equals(before.get(whom))) {
                LOG.warning(whom + " is left alone: " + why);
            }
        });
        before.keySet().stream().filter(whom -> !now.containsKey(whom)).forEach(whom ->
                LOG.info(whom + " is left alone no longer: it has ended, or is a guest now"));
    }

    /** In one line each. */
    List<String> lines() {
        return known.entrySet().stream().map(one -> one.getKey() + " is left alone: " + one.getValue()).toList();
    }
}
