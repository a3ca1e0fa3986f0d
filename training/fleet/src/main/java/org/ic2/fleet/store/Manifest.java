// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.ic2.runtime.json.Json;

/**
 * What is in a folder: {@code manifest.json}, written last. A folder without one is not finished and not read.
 *
 * @param kind       of what: {@code samples}, {@code evaluation}, ...
 * @param schema     version of the columns, {@link FleetSchema#VERSION} when written
 * @param counts     rows, broken rows, files, ...
 * @param inputs     where it came from
 * @param provenance how it was made, in words
 */
public record Manifest(String kind, int schema, Map<String, Long> counts, List<String> inputs, Map<String, String> provenance) {
    /** The file. */
    public static final String NAME = "manifest.json";
    /** Folders of samples. */
    public static final String SAMPLES = "samples";

    public Manifest {
        counts = Collections.unmodifiableMap(new LinkedHashMap<>(counts));
        inputs = List.copyOf(inputs);
        provenance = Collections.unmodifiableMap(new LinkedHashMap<>(provenance));
    }

    /** One of our own schema. */
    public Manifest(String kind, Map<String, Long> counts, List<String> inputs, Map<String, String> provenance) {
        this(kind, FleetSchema.VERSION, counts, inputs, provenance);
    }

    /**
     * The manifest of a folder.
     *
     * @throws FleetException if there is none, or it is not one of ours, or of another kind or version
     */
    public static Manifest read(FileSystem files, Path folder, String kind) throws IOException {
        Path file = new Path(folder, NAME);
        if (!files.exists(file)) {
            throw new FleetException(folder + ": expected a folder with " + NAME + ", which is written last; got "
                    + (files.exists(folder) ? "one without: it is not finished, or no output of ic2-fleet" : "no such folder"));
        }
        Manifest manifest;
        try (FSDataInputStream in = files.open(file)) {
            manifest = of(file, Json.readStrictly(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (JsonProcessingException e) {
            throw new FleetException(file + ": not JSON: " + e.getOriginalMessage(), e);
        }
        if (!manifest.kind().equals(kind)) {
            throw new FleetException(file + ": kind: expected " + kind + ", got " + manifest.kind());
        }
        if (manifest.schema() != FleetSchema.VERSION) {
            throw new FleetException(file + ": schema: expected version " + FleetSchema.VERSION + ", got " + manifest.schema()
                    + "; it was written by another version of IC2: ingest the recordings again");
        }
        return manifest;
    }

    private static Manifest of(Path file, JsonNode json) {
        if (!json.path("kind").isTextual() || !json.path("schema").isInt() || !json.path("counts").isObject()) {
            throw new FleetException(file + ": expected kind, schema, counts, inputs and provenance, got " + Json.text(json));
        }
        Map<String, Long> counts = new LinkedHashMap<>();
        json.path("counts").properties().forEach(one -> counts.put(one.getKey(), one.getValue().asLong()));
        List<String> inputs = new ArrayList<>();
        json.path("inputs").forEach(one -> inputs.add(one.asText()));
        Map<String, String> provenance = new LinkedHashMap<>();
        json.path("provenance").properties().forEach(one -> provenance.put(one.getKey(), one.getValue().asText()));
        return new Manifest(json.path("kind").textValue(), json.path("schema").intValue(), counts, inputs, provenance);
    }

    /** Writes it into a folder. */
    void write(FileSystem files, Path folder) throws IOException {
        ObjectNode json = Json.object();
        json.put("kind", kind).put("schema", schema);
        ObjectNode numbers = json.putObject("counts");
        counts.forEach(numbers::put);
        inputs.forEach(json.putArray("inputs")::add);
        ObjectNode words = json.putObject("provenance");
        provenance.forEach(words::put);
        try (OutputStream out = files.create(new Path(folder, NAME), false)) {
            out.write((json.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }
}
