// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * A run on disk: a folder with {@code run.json} (what is known about it, the neighbour's switches) and
 * {@code samples.csv} or {@code samples.csv.gz}. The folder is complete once {@code run.json} is there; it is written
 * last.
 */
public final class RunFolder {
    /** The file whose presence makes a run complete. */
    public static final String FACTS = "run.json";
    private static final String SAMPLES = "samples.csv";
    private static final int FORMAT = 1;
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private RunFolder() {
    }

    /** True if the folder holds a complete run. */
    public static boolean complete(Path folder) {
        return Files.isRegularFile(folder.resolve(FACTS));
    }

    /** Reads a run. */
    public static Run read(Path folder) throws IOException {
        return read(folder.resolve(FACTS), samples(folder));
    }

    /** What a file like {@code run.json} says, with these samples. */
    public static Run read(Path file, List<Sample> samples) throws IOException {
        return of(file.toString(), Files.readString(file), samples);
    }

    /** The same of the file's text. */
    public static Run of(String source, String text, List<Sample> samples) {
        try {
            return run(source, MAPPER.readTree(text), samples);
        } catch (JsonProcessingException e) {
            throw new FormatException(source, "start", "not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** The samples of a run that need not be complete. */
    public static List<Sample> samples(Path folder) throws IOException {
        Path plain = folder.resolve(SAMPLES);
        Path file = Files.exists(plain) ? plain : folder.resolve(SAMPLES + ".gz");
        return SamplesCsv.read(file.toString(), TextFiles.lines(file));
    }

    private static Run run(String source, JsonNode json, List<Sample> samples) {
        if (json.path("format").asInt() != FORMAT) {
            throw new FormatException(source, "format", "expected " + FORMAT + ", got " + json.get("format"));
        }
        List<Switch> switches = new ArrayList<>();
        for (JsonNode one : json.path("switches")) {
            switches.add(new Switch(Instant.ofEpochMilli(Math.round(1000 * number(source, one, "time"))),
                    one.path("on").asBoolean(), one.path("program").asText(), one.path("placement").asText()));
        }
        Map<String, String> facts = new LinkedHashMap<>();
        json.path("facts").properties().forEach(fact -> facts.put(fact.getKey(), fact.getValue().asText()));
        JsonNode id = json.path("id");
        if (!id.isTextual()) {
            throw new FormatException(source, "id", "expected a name, got " + id);
        }
        Duration interval = Duration.ofMillis(Math.round(1000 * number(source, json, "interval")));
        return new Run(id.asText(), interval, baseline(json.path("baseline")), switches, facts, samples);
    }

    private static double number(String source, JsonNode node, String key) {
        if (!node.path(key).isNumber()) {
            throw new FormatException(source, key, "expected a number, got " + node.get(key));
        }
        return node.path(key).doubleValue();
    }

    private static Optional<Settings> baseline(JsonNode json) {
        if (!json.isObject()) {
            return Optional.empty();
        }
        Settings values = Settings.none();
        for (Knob knob : Terms.shipped().knobs()) {
            values = values.with(knob, json.path(knob.key()).asInt(knob.least()));
        }
        return Optional.of(values);
    }

    /**
     * Writes a run, {@code run.json} last.
     *
     * @param zipped true: {@code samples.csv.gz}, for recordings that are shipped
     */
    public static void write(Path folder, Run run, boolean zipped) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(SamplesCsv.header());
        run.samples().forEach(sample -> lines.add(SamplesCsv.line(sample)));
        List<String> kept = zipped ? Columns.withoutEmpty(lines) : lines;
        TextFiles.write(folder.resolve(zipped ? SAMPLES + ".gz" : SAMPLES), TextFiles.joined(kept));
        Files.deleteIfExists(folder.resolve(zipped ? SAMPLES : SAMPLES + ".gz"));
        writeFacts(folder.resolve(FACTS), run);
    }

    /** Writes what is known about a run, without its samples. */
    public static void writeFacts(Path file, Run run) throws IOException {
        TextFiles.write(file, json(run).toPrettyString() + "\n");
    }

    /** The same as one line, which {@link #of} reads. */
    public static String line(Run run) {
        return json(run).toString();
    }

    private static ObjectNode json(Run run) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("format", FORMAT).put("id", run.id()).put("interval", run.interval().toMillis() / 1000.0);
        run.baseline().ifPresent(baseline -> {
            ObjectNode values = json.putObject("baseline");
            baseline.values().forEach((knob, value) -> values.put(knob.key(), value));
        });
        ArrayNode switches = json.putArray("switches");
        run.switches().forEach(one -> switches.addObject().put("time", one.time().toEpochMilli() / 1000.0)
                .put("on", one.on()).put("program", one.program()).put("placement", one.placement()));
        ObjectNode facts = json.putObject("facts");
        run.facts().forEach(facts::put);
        return json;
    }
}
