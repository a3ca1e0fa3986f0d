// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.host.config.BackendChoice;
import org.ic2.host.config.BackendJson;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.ProposalJson;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.json.Json;

/**
 * The restore: what each knob was before we first moved it, on the disk before it is moved. Written beside, synced and
 * renamed, so that there is a whole one at every moment. What was noted before the machine last booted is void, since knobs
 * do not outlive that. Not thread-safe; the journal's lock keeps other processes away.
 */
public final class Snapshot {

    private static final Logger LOG = Logger.getLogger(Snapshot.class.getName());

    private final DurableFile file;
    private final String boot;
    private final Optional<Way> way;
    private final Map<GuestKnob, SavedKnob> saved = new LinkedHashMap<>();
    private Optional<BackendChoice> through = Optional.empty();

    /**
     * How knobs are moved from now on.
     *
     * @param backend through what; it opens the restore when the configuration says something else by then
     * @param journal beside which this lies
     * @param mark    leads here
     */
    public record Way(BackendChoice backend, Path journal, Optional<RestoreMarker> mark) {
    }

    /** Reads what there is, where nothing says through what it was moved. */
    public Snapshot(Path file, String boot) throws IOException {
        this(file, boot, Optional.empty());
    }

    /**
     * Reads what there is.
     *
     * @param boot which start of the machine this is
     * @param way  how knobs are moved from now on
     * @throws IOException when there is something that cannot be read: nothing may be moved then
     */
    public Snapshot(Path file, String boot, Optional<Way> way) throws IOException {
        this.file = new DurableFile(file);
        this.boot = boot;
        this.way = way;
        if (Files.exists(file)) {
            try {
                read(file, Json.read(BoundedText.file(file, BoundedText.FILE_BYTES, StandardCharsets.UTF_8)));
            } catch (JsonProcessingException | IllegalArgumentException e) {
                throw new IOException(file + ": expected what the knobs were before they were moved, got what cannot be read ("
                        + e.getMessage() + "); put the knobs right by hand and remove it", e);
            }
        }
        if (!saved.isEmpty()) {
            mark();
        }
    }

    private void mark() {
        way.ifPresent(mine -> mine.mark().ifPresent(mark -> mark.set(mine.journal())));
    }

    private void read(Path file, JsonNode json) {
        if (!json.path("boot").isTextual() || !json.path("knobs").isArray()) {
            throw new IllegalArgumentException("no boot, or no knobs");
        }
        if (!json.path("boot").asText().equals(boot)) {
            LOG.info("the machine has booted since " + file + " was written: nothing of it is in force any more");
            return;
        }
        through = json.has("backend") ? Optional.of(BackendJson.read(json.path("backend"))) : Optional.empty();
        for (JsonNode each : json.path("knobs")) {
            SavedKnob one = readOne(each);
            saved.put(one.knob(), one);
        }
    }

    private static SavedKnob readOne(JsonNode json) {
        KnobKind kind = KnobKind.of(text(json, "kind"))
                .orElseThrow(() -> new IllegalArgumentException("no such knob: " + json.path("kind")));
        GuestKnob knob = json.has("pool") ? new GuestKnob(kind, new Target.OfPool(text(json, "pool")))
                : ProposalJson.knob(kind, new Target.OfGuest(text(json, "id"), text(json, "uuid"), text(json, "name")), json);
        List<Integer> ours = new ArrayList<>();
        json.path("ours").forEach(value -> ours.add(integer(value)));
        return new SavedKnob(knob, integer(json.path("original")), text(json, "exact"), ours,
                json.path("foreign").asBoolean());
    }

    private static String text(JsonNode json, String name) {
        if (!json.path(name).isTextual()) {
            throw new IllegalArgumentException(name + ": expected a text, got " + json.path(name));
        }
        return json.path(name).asText();
    }

    private static int integer(JsonNode value) {
        if (!value.isInt()) {
            throw new IllegalArgumentException("expected a whole number, got " + value);
        }
        return value.asInt();
    }

    /** What a knob of this very guest was; empty when we never moved it. */
    public Optional<SavedKnob> of(GuestKnob knob) {
        return Optional.ofNullable(saved.get(knob)).filter(one -> one.isOf(knob));
    }

    /** All of it, in the order in which the knobs were first moved. */
    public List<SavedKnob> all() {
        return List.copyOf(saved.values());
    }

    /** The host through which what is noted was moved, as far as it says so. */
    public Optional<BackendChoice> through() {
        return saved.isEmpty() ? Optional.empty() : through;
    }

    /** Why what is noted cannot be put back from here: it was moved through another host than is open. */
    Optional<String> elsewhere() {
        return through().filter(other -> way.isPresent() && !other.equals(way.get().backend())).map(other -> file()
                + ": it was moved through " + BackendJson.text(other) + ", and the backend is " + BackendJson.text(way.get().backend()));
    }

    /** True if nothing that is ours is noted. */
    public boolean isAtBaseline() {
        return saved.values().stream().allMatch(SavedKnob::foreign);
    }

    /**
     * Takes note of several, and is on the disk when this returns.
     *
     * @throws IOException when it is not; then everything is noted as before
     */
    public void note(List<SavedKnob> several) throws IOException {
        change(several, List.of());
    }

    /** Forgets several: they are at the baseline, or gone, or somebody else's. */
    public void forget(List<GuestKnob> several) throws IOException {
        if (several.stream().anyMatch(saved::containsKey)) {
            change(List.of(), several);
        }
    }

    /** What was noted of an earlier run of a guest is true of this one. */
    void continueAs(SavedKnob earlier, GuestKnob now) throws IOException {
        change(List.of(new SavedKnob(now, earlier.original(), earlier.exact(), earlier.ours(), earlier.foreign())), List.of(earlier.knob()));
    }

    private void change(List<SavedKnob> fresh, List<GuestKnob> gone) throws IOException {
        Optional<String> elsewhere = elsewhere();
        if (elsewhere.isPresent()) {
            throw new IOException(elsewhere.get());
        }
        if (!fresh.isEmpty()) {
            mark();
        }
        Map<GuestKnob, SavedKnob> before = new LinkedHashMap<>(saved);
        Optional<BackendChoice> throughBefore = through;
        through = way.map(Way::backend).or(() -> throughBefore);
        gone.forEach(saved::remove);
        fresh.forEach(one -> {
            saved.remove(one.knob());   // the number of the guest may be another, and is part of the key that stays
            saved.put(one.knob(), one);
        });
        try {
            file.write(Json.line(json()));
        } catch (IOException e) {
            saved.clear();
            saved.putAll(before);
            through = throughBefore;
            throw e;
        }
        if (saved.isEmpty()) {
            way.ifPresent(mine -> mine.mark().ifPresent(mark -> mark.remove(mine.journal())));
        }
    }

    private ObjectNode json() {
        ObjectNode json = Json.object().put("v", 1).put("boot", boot);
        through.ifPresent(host -> json.set("backend", BackendJson.write(host)));
        ArrayNode knobs = json.putArray("knobs");
        for (SavedKnob one : saved.values()) {
            ObjectNode node = knobs.addObject().put("kind", one.knob().kind().key());
            one.knob().target().whose().ifPresent(guest -> node.put("id", guest.id()));
            ProposalJson.writeTarget(node, one.knob().target());
            node.put("original", one.original()).put("exact", one.exact());
            ArrayNode ours = node.putArray("ours");
            one.ours().forEach(ours::add);
            if (one.foreign()) {
                node.put("foreign", true);
            }
        }
        return json;
    }

    /** Where it is. */
    public Path file() {
        return file.path();
    }
}
