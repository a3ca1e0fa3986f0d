// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.logging.Logger;
import org.ic2.runtime.host.BoundedText;

/** Keeps what a brain has learned over restarts. Replaced in one step. */
public final class StateStore {

    private static final Logger LOG = Logger.getLogger(StateStore.class.getName());

    private final Path file;
    private boolean failing;

    /**
     * @param journal the state lies beside it, as {@code state.json}
     */
    public StateStore(Path journal) {
        file = beside(journal);
    }

    /** Where the state of an agent with this journal is. */
    public static Path beside(Path journal) {
        return journal.resolveSibling("state.json");
    }

    /** Lets the brain read what the last run has learned: nothing at the first start or when it is broken, as is logged. */
    public void load(Brain brain) {
        try {
            if (Files.exists(file)) {
                brain.read(file.toString(), BoundedText.file(file, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            LOG.warning("what was learned before is lost, the medians are learned again: " + e.getMessage());
        }
    }

    /** Saves it; a failure is logged once until it works again, and costs no more than what was learned since. */
    public void save(Brain brain) {
        Path fresh = file.resolveSibling("state.json.new");
        try {
            // no channel, which an interrupt at the agent's end would close
            try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
                out.write(brain.write().getBytes(StandardCharsets.UTF_8));
                out.getFD().sync();
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                LOG.severe("cannot save the state in " + file + ": " + e.getMessage());
            }
            failing = true;
        }
    }
}
