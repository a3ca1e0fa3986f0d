// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.json.Json;

/**
 * Where the restore begins, whatever a configuration file says by then: beside which journal its agent's snapshot lies. It depends
 * on the file's path alone, is there while something may be away, and goes with a reboot, as what was moved does. An agent that
 * cannot write it goes on; its restore then needs a file that can be read and names the same journal. Not thread-safe.
 */
public final class RestoreMarker {

    /** Names another directory, for tests. */
    static final String DIRECTORY = "ic2.host.run";

    private static final Logger LOG = Logger.getLogger(RestoreMarker.class.getName());

    private final Optional<Path> file;
    private boolean stands;
    private boolean complained;

    /**
     * That of a configuration file.
     *
     * @param directory where such are; empty: nowhere
     */
    RestoreMarker(Optional<Path> directory, Path configuration) {
        String name = URLEncoder.encode(configuration.toAbsolutePath().normalize().toString(), StandardCharsets.UTF_8);
        file = directory.map(run -> run.resolve(name));
    }

    /** That of a configuration file on this machine: below /run for root, else in the user's own directory there. */
    public static RestoreMarker of(Path configuration) {
        return new RestoreMarker(directory(), configuration);
    }

    private static Optional<Path> directory() {
        if (System.getProperty(DIRECTORY) != null) {
            return Optional.of(Path.of(System.getProperty(DIRECTORY)));
        }
        try {
            if (Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
                return Optional.of(Path.of("/run/ic2-host"));
            }
        } catch (IOException e) {
            LOG.fine(() -> "who this is cannot be told: " + e.getMessage());
        }
        return Optional.ofNullable(System.getenv("XDG_RUNTIME_DIR")).filter(run -> !run.isEmpty()).map(run -> Path.of(run, "ic2-host"));
    }

    /** The journal beside which the snapshot lies; empty when nothing is away, or as far as can be told. */
    public Optional<Path> journal() {
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try {
            JsonNode journal = Json.read(BoundedText.file(file.get(), BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8)).path("journal");
            if (journal.isTextual() && Path.of(journal.asText()).isAbsolute()) {
                return Optional.of(Path.of(journal.asText()));
            }
            LOG.warning(file.get() + ": expected {\"journal\":PATH}, got something else; the restore is that of the configuration file");
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException e) {
            LOG.warning(file.get() + ": expected {\"journal\":PATH}, got what cannot be read; the restore is that of the configuration file");
        } catch (IOException e) {
            if (Files.exists(file.get())) {
                LOG.warning("cannot read " + file.get() + ": " + e.getMessage() + "; the restore is that of the configuration file");
            }
        }
        return Optional.empty();
    }

    /** True of one path that is written in two ways: {@code -c ./host.yaml} makes another of a relative one. */
    public static boolean same(Path journal, Path other) {
        return journal.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }

    /** On the disk when this returns, or said in the log why it is not. */
    void set(Path journal) {
        if (stands) {
            return;
        }
        try {
            if (file.isEmpty()) {
                throw new IOException("XDG_RUNTIME_DIR names no directory for it");
            }
            new DurableFile(file.get()).write(Json.line(Json.object().put("v", 1).put("journal", journal.toAbsolutePath().toString())));
            stands = true;
        } catch (IOException | RuntimeException e) {
            if (!complained) {
                LOG.warning("where the restore begins cannot be noted: " + e.getMessage()
                        + "; while something is away keep the configuration readable, and its journal as it is");
            }
            complained = true;
        }
    }

    /** Nothing that this journal's agent moved is away. */
    void remove(Path journal) {
        try {
            if (file.isPresent() && journal().filter(marked -> same(marked, journal)).isPresent()) {
                Files.deleteIfExists(file.get());
            }
            stands = false;
        } catch (IOException e) {
            LOG.fine(() -> "stays, and names a snapshot of nothing: " + e.getMessage());
        }
    }
}
