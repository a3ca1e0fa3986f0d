// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.PoolJson;
import org.ic2.host.model.ProposalJson;
import org.ic2.host.model.SampleJson;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.BoundedLines;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.json.Json;

/** A recording as a host: each reading is the next recorded one, and nothing can be moved. */
public final class ReplayBackend implements Backend {
    private static final int VERSION = 1;

    private final Path file;
    private final BoundedLines lines;
    private final long memory;
    private List<Pool> pools;
    private final Set<GuestMetric> seen = java.util.EnumSet.noneOf(GuestMetric.class);
    private final Map<String, Integer> knobs = new HashMap<>();
    private JsonNode turn;
    private HostSample sample;
    private boolean handedOut;

    /**
     * Opens a recording and reads its first turn.
     *
     * @throws IOException naming file and line, when it is no recording
     */
    public ReplayBackend(Path file) throws IOException {
        this.file = file;
        lines = new BoundedLines(file);
        try {
            JsonNode head = json();
            if (head == null || head.path("v").asInt() != VERSION || !head.path("memory").canConvertToLong()) {
                throw wrong("expected the head of a recording {\"v\":1,\"backend\":..,\"memory\":BYTES,\"pools\":[..]}", head);
            }
            memory = head.get("memory").asLong();
            pools = pools(head);
            if (!advance()) {
                throw wrong("expected a turn after the head", null);
            }
        } catch (IOException e) {
            lines.close();
            throw e;
        }
    }

    private List<Pool> pools(JsonNode line) throws IOException {
        try {
            return PoolJson.read(line.path(PoolJson.MEMBER));
        } catch (IllegalArgumentException e) {
            throw new IOException(place() + e.getMessage(), e);
        }
    }

    private JsonNode json() throws IOException {
        String line = lines.next();
        if (line == null) {
            return null;
        }
        try {
            JsonNode node = Json.readStrictly(line);
            if (node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException e) {
            throw new IOException(place() + "expected a line of JSON, got \"" + BoundedText.brief(line) + "\"", e);
        }
        throw new IOException(place() + "expected an object of JSON, got \"" + BoundedText.brief(line) + "\"");
    }

    private String place() {
        return file + ", line " + lines.number() + ": ";
    }

    private IOException wrong(String expected, JsonNode got) {
        return new IOException(place() + expected + ", got " + (got == null ? "the end of the file"
                : BoundedText.brief(Json.text(got))));
    }

    /** Goes to the next turn; false at the end. */
    private boolean advance() throws IOException {
        JsonNode next = json();
        if (next == null) {
            return false;
        }
        try {
            sample = SampleJson.read(next);
        } catch (IllegalArgumentException e) {
            throw new IOException(place() + e.getMessage(), e);
        }
        if (next.has(PoolJson.MEMBER)) {
            pools = pools(next);
        }
        turn = next;
        sample.byUuid().values().forEach(readings -> seen.addAll(readings.values().keySet()));
        for (JsonNode knob : next.path("knobs")) {
            Optional<KnobKind> kind = KnobKind.of(knob.path("kind").asText(""));
            if (kind.isEmpty() || !knob.has("uuid") && !knob.has("pool") || !knob.path("value").canConvertToInt()) {
                throw wrong("expected knobs with kind, uuid or pool, and value", knob);
            }
            try {
                GuestKnob of = knob.has("uuid") ? ProposalJson.knob(kind.get(), new Target.OfGuest("", knob.get("uuid").asText(), ""), knob)
                        : new GuestKnob(kind.get(), new Target.OfPool(knob.get("pool").asText()));
                knobs.put(of.kind().key() + " " + of.target().identity(), knob.get("value").asInt());
            } catch (IllegalArgumentException e) {
                throw wrong(e.getMessage(), knob);
            }
        }
        return true;
    }

    /** True while {@link #read} has another turn to hand out. */
    public boolean hasNext() throws IOException {
        if (handedOut && advance()) {
            handedOut = false;
        }
        return !handedOut;
    }

    /** What was decided in the turn that {@link #read} handed out last, as it was recorded. */
    public JsonNode decided() {
        return turn.path("decided");
    }

    /** The knobs that the first turns name, as widely as their kinds go, and the metrics that occur in them. */
    @Override
    public Capabilities capabilities() {
        Map<KnobKind, Capabilities.Range> ranges = new EnumMap<>(KnobKind.class);
        for (String knob : knobs.keySet()) {
            KnobKind.of(knob.substring(0, knob.indexOf(' '))).ifPresent(kind ->
                    ranges.put(kind, new Capabilities.Range(kind.least(), Integer.MAX_VALUE, 1)));
        }
        Map<GuestMetric, Capabilities.Source> metrics = new EnumMap<>(GuestMetric.class);
        seen.forEach(metric -> metrics.put(metric, new Capabilities.Source("recording " + file, false)));
        return new Capabilities(ranges, metrics, List.of());
    }

    @Override
    public List<Guest> guests() {
        return sample.guests();
    }

    @Override
    public List<Pool> pools() {
        return pools;
    }

    @Override
    public Map<String, String> membership() throws IOException, InterruptedException {
        Map<String, String> homes = new HashMap<>(Backend.super.membership());
        turn.path("homes").properties().forEach(home -> homes.put(home.getKey(), home.getValue().asText()));
        return homes;
    }

    @Override
    public long memory() {
        return memory;
    }

    /**
     * The next recorded sample, at its own time.
     *
     * @throws EOFException after the last
     */
    @Override
    public HostSample read(Instant now, Set<GuestMetric> wanted) throws IOException {
        if (!hasNext()) {
            throw new EOFException(file + ": the recording is over");
        }
        handedOut = true;
        return sample;
    }

    @Override
    public int get(GuestKnob knob) throws IOException {
        return Optional.ofNullable(knobs.get(knob.kind().key() + " " + knob.target().identity()))
                .orElseThrow(() -> new IOException(place() + "nothing was recorded of " + knob.label()));
    }

    @Override
    public void set(GuestKnob knob, int value) throws NotDoneException {
        throw new NotDoneException("cannot set " + knob.label() + " to " + value + ": " + file + " is a recording");
    }

    @Override
    public Duration settleTime(KnobKind kind) {
        return Duration.ZERO;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
