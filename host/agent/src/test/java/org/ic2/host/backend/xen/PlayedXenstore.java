// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ic2.host.backend.PlayedHost;
import org.ic2.runtime.host.CommandResult;

/** What xenstore-read of one or several paths prints, as the real one does: up to the first path that is not there. */
final class PlayedXenstore {
    private final Map<String, String> values = new TreeMap<>();

    PlayedXenstore(PlayedHost host) {
        host.does("xenstore-read", this::read);
    }

    /** What is at a path from now on. */
    void put(String path, String value) {
        values.put(path, value);
    }

    /** From now on nothing is at a path. */
    void remove(String path) {
        values.remove(path);
    }

    /** A guest of 160 MiB. */
    void guest(int id, String uuid) {
        values.put("/local/domain/" + id + "/vm", "/vm/" + uuid);
        values.put("/local/domain/" + id + "/memory/static-max", "163840");
    }

    private CommandResult read(List<String> command) {
        StringBuilder output = new StringBuilder();
        for (String path : command.subList(1, command.size())) {
            if (!values.containsKey(path)) {
                return new CommandResult(1, output.toString(), "xenstore-read: couldn't read path " + path, false);
            }
            output.append(values.get(path)).append('\n');
        }
        return new CommandResult(0, output.toString());
    }
}
