// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * Trees of JSON from text and back. The trees are Jackson's; its {@code ObjectMapper} reads and writes the same, but with some 400
 * classes more, and so does a node's own {@code toString}: what an agent writes again and again goes through {@link #text}.
 */
public final class Json {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    /** Deeper than anything of ours, and no deeper than a small stack bears: writing is recursive. */
    private static final int DEEPEST = 200;
    private static final JsonFactory FACTORY = bounded().build();
    private static final JsonFactory STRICT = bounded().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private Json() {
    }

    private static JsonFactoryBuilder bounded() {
        return new JsonFactoryBuilder().streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build());
    }

    /** An empty object. */
    public static ObjectNode object() {
        return NODES.objectNode();
    }

    /**
     * The first value of a text, whatever comes after it; a missing node of an empty one.
     *
     * @throws JsonProcessingException if it is not JSON
     */
    public static JsonNode read(String text) throws JsonProcessingException {
        try (JsonParser in = FACTORY.createParser(text)) {
            return value(in);
        } catch (IOException e) {
            throw ofText(e);
        }
    }

    /**
     * The same of bytes, whose encoding shows in them.
     *
     * @throws JsonProcessingException if it is not JSON
     */
    public static JsonNode read(byte[] text) throws JsonProcessingException {
        try (JsonParser in = FACTORY.createParser(text)) {
            return value(in);
        } catch (IOException e) {
            throw ofText(e);
        }
    }

    /**
     * The one value of a text, in which no object has a name twice.
     *
     * @throws JsonProcessingException if it is not that
     */
    public static JsonNode readStrictly(String text) throws JsonProcessingException {
        try (JsonParser in = STRICT.createParser(text)) {
            JsonNode value = value(in);
            if (in.nextToken() != null) {
                throw new JsonParseException(in, "expected the end of the text, got " + in.currentToken());
            }
            return value;
        } catch (IOException e) {
            throw ofText(e);
        }
    }

    private static JsonProcessingException ofText(IOException error) {
        if (error instanceof JsonProcessingException why) {
            return why;
        }
        // such as bytes that are no UTF-8
        return new JsonParseException(null, error.getMessage(), error);
    }

    /** Without recursion: how deep a text goes is not ours to say, and threads have small stacks. */
    private static JsonNode value(JsonParser in) throws IOException {
        JsonToken token = in.nextToken();
        if (token == null) {
            return MissingNode.getInstance();
        }
        Deque<ContainerNode<?>> open = new ArrayDeque<>();
        JsonNode root = begun(in, token, open);
        while (!open.isEmpty()) {
            token = in.nextToken();
            if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
                open.pop();
                continue;
            }
            ContainerNode<?> into = open.peek();
            if (into instanceof ObjectNode object) {
                String name = in.currentName();
                object.set(name, begun(in, in.nextToken(), open));
            } else {
                ((ArrayNode) into).add(begun(in, token, open));
            }
        }
        return root;
    }

    /** A value, or the beginning of one that is open from now on. */
    private static JsonNode begun(JsonParser in, JsonToken token, Deque<ContainerNode<?>> open) throws IOException {
        return switch (token) {
            case START_OBJECT -> opened(NODES.objectNode(), open);
            case START_ARRAY -> opened(NODES.arrayNode(), open);
            case VALUE_STRING -> NODES.textNode(in.getText());
            case VALUE_NUMBER_INT -> switch (in.getNumberType()) {
                case INT -> NODES.numberNode(in.getIntValue());
                case LONG -> NODES.numberNode(in.getLongValue());
                default -> NODES.numberNode(in.getBigIntegerValue());
            };
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(in.getDoubleValue());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new JsonParseException(in, "expected a value, got " + token);
        };
    }

    private static ContainerNode<?> opened(ContainerNode<?> node, Deque<ContainerNode<?>> open) {
        open.push(node);
        return node;
    }

    /**
     * A generator of UTF-8 that does not close what it writes to. What breaks off in the middle shows it: nothing is closed that
     * was not.
     */
    public static JsonGenerator generator(OutputStream out) throws IOException {
        return FACTORY.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT);
    }

    /** A tree as one line. */
    public static String text(JsonNode tree) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = FACTORY.createGenerator(text)) {
            write(out, tree);
        } catch (IOException e) {
            throw new UncheckedIOException("a tree can always be written to memory", e);
        }
        return text.toString();
    }

    /** A tree as one line with its end, in UTF-8. */
    public static byte[] line(JsonNode tree) {
        return (text(tree) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Writes a tree; what is made while it is written ({@link JsonSerializable}) gets no provider. Half a surrogate pair, which
     * no UTF-8 can hold, becomes a question mark.
     */
    public static void write(JsonGenerator out, JsonNode node) throws IOException {
        switch (node.getNodeType()) {
            case OBJECT -> {
                out.writeStartObject();
                for (Map.Entry<String, JsonNode> field : node.properties()) {
                    out.writeFieldName(whole(field.getKey()));
                    write(out, field.getValue());
                }
                out.writeEndObject();
            }
            case ARRAY -> {
                out.writeStartArray();
                for (JsonNode element : node) {
                    write(out, element);
                }
                out.writeEndArray();
            }
            case STRING -> out.writeString(whole(node.textValue()));
            case BOOLEAN -> out.writeBoolean(node.booleanValue());
            case NUMBER -> writeNumber(out, node);
            case POJO -> ((JsonSerializable) ((POJONode) node).getPojo()).serialize(out, null);
            default -> out.writeNull();
        }
    }

    private static String whole(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            }
        }
        return text;
    }

    private static void writeNumber(JsonGenerator out, JsonNode node) throws IOException {
        switch (node.numberType()) {
            case INT -> out.writeNumber(node.intValue());
            case LONG -> out.writeNumber(node.longValue());
            case FLOAT -> out.writeNumber(node.floatValue());
            case DOUBLE -> out.writeNumber(node.doubleValue());
            case BIG_INTEGER -> out.writeNumber(node.bigIntegerValue());
            default -> out.writeNumber(node.decimalValue());
        }
    }
}
