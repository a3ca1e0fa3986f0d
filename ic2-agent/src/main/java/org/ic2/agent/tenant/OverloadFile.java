// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.knowledge.UserHarm;
import org.ic2.runtime.json.Json;

/** A file that is there exactly while users are harmed, for programs that ask whether it is. What is in it says why. */
public final class OverloadFile {

    private static final Logger LOG = Logger.getLogger(OverloadFile.class.getName());

    private static final String BEGIN = "{\"cause\":";
    private static final int MOST_BYTES = 1000;

    private final Path file;
    private boolean failed;

    public OverloadFile(Path file) {
        this.file = file;
    }

    /** What is told of a harm: cause, level in force, and since when. */
    public static ObjectNode json(UserHarm harm, int level) {
        return Json.object().put("cause", harm.finding().cause().key()).put("level", level).put("since", harm.since().toString());
    }

    /** True if there is nothing, or what an agent wrote: nothing else is replaced or removed. */
    public static boolean isOurs(Path file) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try {
            return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) < MOST_BYTES
                    && Files.readString(file).startsWith(BEGIN);
        } catch (IOException e) {
            return false;
        }
    }

    /** Makes it so, whatever an earlier agent left; what cannot be written is said once. */
    void show(Optional<UserHarm> harm, int level) {
        try {
            if (!isOurs(file)) {
                throw new IOException("it is there and is none of the agent's; remove it, or name another");
            }
            if (harm.isPresent()) {
                Path fresh = file.resolveSibling(file.getFileName() + ".new");
                Files.deleteIfExists(fresh);
                Files.write(fresh, Json.line(json(harm.get(), level)), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } else {
                Files.deleteIfExists(file);
            }
            failed = false;
        } catch (IOException e) {
            if (!failed) {
                LOG.warning("overload-file: cannot " + (harm.isPresent() ? "write " : "remove ") + file + ": " + e.getMessage()
                        + "; give the agent's user a directory that it may write to");
            }
            failed = true;
        }
    }

    /** The agent ends, and tells no more. */
    public void end() {
        show(Optional.empty(), 0);
    }
}
