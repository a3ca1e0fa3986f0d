// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.TreeMap;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.Pool;
import org.ic2.host.model.PoolJson;
import org.ic2.host.model.ProposalJson;
import org.ic2.host.model.SampleJson;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.loop.LineRecording;

/**
 * Writes what was measured, what was in force and what was decided, a line of JSON a turn, for {@code replay} and
 * {@code discover}. The first line says what the host is. A full disk ends the recording only.
 */
public final class HostRecorder implements AutoCloseable {

    private static final int VERSION = 1;
    static final String FRESH = "fresh";
    static final String ASKED = "asked";
    static final String HOMES = "homes";

    private final LineRecording lines;
    private List<Pool> written;

    /**
     * Makes the file.
     *
     * @throws IOException when there is one already, or it cannot be written
     */
    public HostRecorder(Path file, String backend, long memory, List<Pool> pools) throws IOException {
        if (Files.exists(file)) {
            throw new IOException(file + " exists; name another file for the recording");
        }
        ObjectNode head = Json.object().put("v", VERSION).put("backend", backend).put("memory", memory);
        PoolJson.write(pools, head.putArray(PoolJson.MEMBER));
        written = List.copyOf(pools);
        lines = new LineRecording(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        lines.begin(Json.text(head));
    }

    /**
     * Adds a turn.
     *
     * @param view  what was known before it: the knobs' values, and in which of several pools guests live
     * @param fresh true when the controllers know nothing yet: they are new
     * @param asked false when nobody was asked
     */
    void record(HostSample sample, HostView view, ControllerScheduler.ControlResult decided, boolean fresh, boolean asked) {
        if (lines.isClosed()) {
            return;
        }
        ObjectNode line = SampleJson.write(sample);
        ArrayNode knobs = line.putArray("knobs");
        view.inForce().values().forEach((knob, value) -> knobs.add(ProposalJson.write((GuestKnob) knob, value)));
        if (!view.homes().isEmpty()) {
            ObjectNode homes = line.putObject(HOMES);
            new TreeMap<>(view.homes()).forEach(homes::put);
        }
        if (!view.pools().equals(written)) {
            PoolJson.write(view.pools(), line.putArray(PoolJson.MEMBER));
            written = view.pools();
        }
        if (fresh) {
            line.put(FRESH, true);
        }
        if (!asked) {
            line.put(ASKED, false);
        }
        putDecisions(line, decided);
        lines.add(Json.text(line));
    }

    /** What was decided, as {@code decided} and {@code held}. */
    public static void putDecisions(ObjectNode line, ControllerScheduler.ControlResult decided) {
        ArrayNode proposals = line.putArray("decided");
        decided.proposals().forEach(proposal -> proposals.add(ProposalJson.write(proposal)));
        ObjectNode held = line.putObject("held");
        decided.held().forEach((controller, reasons) -> {
            ArrayNode list = held.putArray(controller);
            reasons.forEach(list::add);
        });
    }

    @Override
    public void close() {
        lines.close();
    }
}
