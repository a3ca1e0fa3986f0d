// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ic2.host.model.Guest;
import org.ic2.runtime.host.Host;

/** The threads of guests of {@link CgroupBackend}. */
public final class GuestThreads {
    private final Host host;
    private final Map<String, GroupFiles> known = new HashMap<>();

    public GuestThreads(Host host) {
        this.host = host;
    }

    /** The same of a group by its name, whoever has it now. */
    public List<Integer> of(String group) throws IOException, InterruptedException {
        return GroupThreads.of(host, new GroupFiles(host, group));
    }

    /** All threads of a guest's group and of those below it. */
    public List<Integer> of(Guest guest) throws IOException, InterruptedException {
        return GroupThreads.of(host, known.computeIfAbsent(guest.uuid(), uuid -> new GroupFiles(host, guest.id())));
    }
}
