// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import org.ic2.agent.history.History;
import org.ic2.agent.history.HistoryPoint;
import org.ic2.agent.history.HistoryRange;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpRequest;

/**
 * {@code /api/history}: {@code {"step": 10, "columns": ["time", "state", "level", ...], "points": [[...], ...]}}, each point
 * the values of the columns, null where nothing was measured; what was never measured in the time has no column.
 */
final class HistoryJson {

    private final History history;

    HistoryJson(History history) {
        this.history = history;
    }

    /** What there is; without {@code since} all of it. */
    Answer answer(HttpRequest request) {
        HistoryRange range = history.range(request.parameter("since").flatMap(RequestTime::of).orElse(Instant.EPOCH),
                request.parameter("until").flatMap(RequestTime::of).orElse(Instant.MAX));
        return new Answer(200, "application/json", -1, out -> write(range, out));
    }

    /** Goes through the file twice, for the columns and for the points: who takes the answer slowly keeps none of it in memory. */
    private void write(HistoryRange range, OutputStream out) throws IOException {
        int[] shown = shown(range);
        List<String> names = history.columns();
        try (JsonGenerator json = Json.generator(out).disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)) {
            json.writeStartObject();
            json.writeNumberField("step", range.step());
            json.writeFieldName("columns");
            json.writeStartArray();
            for (String name : List.of("time", "state", "level")) {
                json.writeString(name);
            }
            for (int column : shown) {
                json.writeString(names.get(column));
            }
            json.writeEndArray();
            json.writeFieldName("points");
            json.writeStartArray();
            range.forEach(point -> write(json, point, shown));
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static int[] shown(HistoryRange range) throws IOException {
        BitSet measured = new BitSet();
        range.forEach(point -> {
            for (int i = 0; i < point.values().length; i++) {
                if (!Float.isNaN(point.values()[i])) {
                    measured.set(i);
                }
            }
        });
        return measured.stream().toArray();
    }

    private static void write(JsonGenerator json, HistoryPoint point, int[] shown) throws IOException {
        json.writeStartArray();
        json.writeNumber(point.time());
        json.writeString(point.state());
        json.writeNumber(point.level());
        for (int column : shown) {
            double value = point.values()[column];
            if (Double.isNaN(value)) {
                json.writeNull();
            } else if (value == Math.rint(value) && value < 1e9) {
                json.writeNumber((long) value);
            } else {
                json.writeNumber(short4(value));
            }
        }
        json.writeEndArray();
    }

    /** Rounded to four digits: a chart shows no more. */
    private static double short4(double value) {
        int digits = 3 - (int) Math.floor(Math.log10(Math.abs(value)));
        double scale = Math.pow(10, Math.abs(digits));
        return digits >= 0 ? Math.rint(value * scale) / scale : Math.rint(value / scale) * scale;
    }
}
