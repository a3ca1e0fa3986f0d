// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.worth.WorthJson;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.runtime.json.Json;

/** The files of the knowledge base, which people edit, and those that the agent writes. What is read is written the same. */
class KnowledgeFuzzTest {

    private static void readOrRefused(byte[] bytes, UnaryOperator<String> reader) {
        try {
            reader.apply(new String(bytes, StandardCharsets.UTF_8));
        } catch (FormatException e) {
            assertThat(e.getMessage()).contains("f");
        }
    }

    @FuzzTest
    void classifier(byte[] bytes) {
        readOrRefused(bytes, text -> {
            ClassifierModel model = ClassifierJson.read("f", text);
            assertThat(ClassifierJson.read("f", ClassifierJson.write(model))).isEqualTo(model);
            return text;
        });
    }

    @FuzzTest
    void rules(byte[] bytes) {
        readOrRefused(bytes, text -> RulesYaml.read("f", text).toString());
    }

    @FuzzTest
    void samples(byte[] bytes) {
        readOrRefused(bytes, text -> {
            List<Sample> samples = SamplesCsv.read("f", text.lines().limit(2000).toList());
            samples.forEach(SamplesCsv::line);
            return text;
        });
    }

    /** What a journal tells of an episode. */
    @FuzzTest
    void episode(byte[] bytes) throws IOException {
        JsonNode tree;
        try {
            tree = Json.read(bytes);
        } catch (JsonProcessingException e) {
            return;
        }
        WorthJson.read(tree).ifPresent(episode -> {
            assertThat(episode.describe()).doesNotContain("NaN", "Infinity");
            assertThat(WorthJson.read(WorthJson.tree(episode))).contains(episode);
        });
    }

    @FuzzTest
    void state(byte[] bytes) {
        ControlJson json = new ControlJson();
        readOrRefused(bytes, text -> json.write(json.readState("f", text)));
    }
}
