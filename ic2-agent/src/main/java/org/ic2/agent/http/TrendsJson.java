// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.node.POJONode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.AgentStatus.Judged;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.knowledge.Metric;

/**
 * How states, levels and the managed tier's main quantities went, for {@code ic2 watch}: an array for each, of as many values as there are
 * times. At most what the board keeps, ten minutes at an interval of a second, which is some 50 KB.
 */
public final class TrendsJson {

    /** In the order in which they are shown where there is no room for all. */
    public static final List<Metric> SHOWN = List.of(Metric.RESPONSE_TIME, Metric.RESPONSE_TIME_P95, Metric.THROUGHPUT,
            Metric.CPU_UTIL, Metric.STEAL, Metric.ACCEPT_QUEUE, Metric.RUN_DELAY, Metric.LOAD_PER_OPERATION, Metric.CMR,
            Metric.CPI, Metric.MEMORY_PRESSURE, Metric.IO_PRESSURE, Metric.ERROR_RATE);
    /** Of the ladder, beside the quantities. */
    public static final String LEVEL = "level";
    private static final MathContext DIGITS = new MathContext(5);

    private final AgentStatus board;

    public TrendsJson(AgentStatus board) {
        this.board = board;
    }

    /**
     * An object that is made while it is written, from samples that the board has anyway: however slowly it is taken, it costs no memory.
     *
     * @param millis epoch time; only samples that are later
     */
    public JsonNode since(AgentConfig config, long millis) {
        Optional<Tick> latest = board.latest();
        Optional<Instant> stateSince = board.stateSince();
        List<Judged> samples = board.samplesSince(millis);
        return new POJONode(new JsonSerializable.Base() {
            @Override
            public void serialize(JsonGenerator json, SerializerProvider provider) throws IOException {
                json.writeStartObject();
                json.writeNumberField("target", config.policy().targetResponseTime());
                json.writeStringField("target_of", config.policy().felt().column());
                json.writeNumberField("levels", config.policy().ladder().highest());
                if (latest.isPresent()) {
                    json.writeNumberField("level", latest.get().level());
                }
                if (stateSince.isPresent()) {
                    json.writeNumberField("state_since", stateSince.get().toEpochMilli() / 1000.0);
                }
                writeSamples(json, samples);
                json.writeEndObject();
            }

            @Override
            public void serializeWithType(JsonGenerator json, SerializerProvider provider, TypeSerializer type) throws IOException {
                serialize(json, provider);
            }
        });
    }

    private static void writeSamples(JsonGenerator json, List<Judged> samples) throws IOException {
        column(json, "time", samples, judged -> json.writeNumber(BigDecimal.valueOf(judged.sample().time().toEpochMilli(), 3)));
        column(json, "states", samples, judged -> json.writeString(judged.state()));
        json.writeObjectFieldStart("values");
        column(json, LEVEL, samples, judged -> json.writeNumber(judged.level()));
        for (Metric metric : SHOWN) {
            if (samples.stream().anyMatch(judged -> judged.sample().has(metric))) {
                column(json, metric.column(), samples, judged -> write(json, judged, metric));
            }
        }
        json.writeEndObject();
    }

    /** Writes what there is of a sample in a column. */
    private interface Cell {
        void write(Judged judged) throws IOException;
    }

    private static void column(JsonGenerator json, String name, List<Judged> samples, Cell cell) throws IOException {
        json.writeArrayFieldStart(name);
        for (Judged judged : samples) {
            cell.write(judged);
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, Judged judged, Metric metric) throws IOException {
        double value = judged.sample().has(metric) ? judged.sample().get(metric) : Double.NaN;
        if (Double.isFinite(value)) {
            json.writeNumber(new BigDecimal(value, DIGITS).stripTrailingZeros());
        } else {
            json.writeNull();
        }
    }
}
