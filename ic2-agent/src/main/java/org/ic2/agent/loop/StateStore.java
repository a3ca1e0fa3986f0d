// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.ControllerState;
import org.ic2.runtime.knob.Vocabulary;

/** Keeps what the controller has learned over restarts: medians, cool-down, budget. Replaced in one step. */
public final class StateStore {

    private static final Logger LOG = Logger.getLogger(StateStore.class.getName());

    private final Path file;
    private final ControlJson json = new ControlJson();
    private boolean failing;

    /**
     * @param journal the state lies beside it, as {@code state.json}
     */
    public StateStore(Path journal) {
        file = journal.resolveSibling("state.json");
    }

    /**
     * The state of the last run; empty at the first start and when the file is broken, which is logged.
     *
     * @param vocabulary the knobs that are known
     */
    public Optional<ControllerState> load(Vocabulary vocabulary) {
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            return Optional.of(new ControlJson(vocabulary).readState(file.toString(), Files.readString(file)));
        } catch (IOException | FormatException e) {
            LOG.warning("what was learned before is lost, the medians are learned anew: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Saves the state; a failure is logged once until it works again, and costs no more than what was learned since. */
    public void save(ControllerState state) {
        Path fresh = file.resolveSibling("state.json.new");
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer bytes = ByteBuffer.wrap(json.write(state).getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
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
