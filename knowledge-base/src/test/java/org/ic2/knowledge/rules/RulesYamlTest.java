// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.ic2.knowledge.FormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesYamlTest {
    private static final String GOOD = """
            format: 1
            fallback: cache
            witnesses:
              - {attribute: steal, above: 0.05}
            rules:
              - id: cache
                row: 3
                context: Increased LLC Miss Rate
                when:
                  any:
                    - {attribute: cmr, above: 0.1}
                set:
                  keep-alive-timeout: {direction: up, update: response-time, factor: 3}
                reason: the cache is gone
            """;

    @Test
    void readsRules() {
        KnowledgeBase knowledge = RulesYaml.read("rules.yaml", GOOD);
        assertThat(knowledge.fallback().id()).isEqualTo("cache");
        assertThat(knowledge.fallback().moves()).singleElement().extracting(Move::describe)
                .isEqualTo("keep-alive-timeout up by 3 x (RT - RT_ni)");
        assertThat(knowledge.witnesses()).extracting(Condition::describe).containsExactly("steal > 0.05");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "fallback: cache    | fallback: cash      | line 2, fallback: expected the id of a rule, one of [cache]",
        "format: 1          | format: 7           | line 1, format: expected 1",
        "row: 3             | raw: 3              | line 7, rules[0]: unknown key 'raw'",
        "row: 3             | row: three          | line 7, rules[0].row: expected a number, got 'three'",
        "above: 0.1         | over: 0.1           | line 11, rules[0].when.any[0]: unknown key 'over'",
        "above: 0.1         | above: .inf         | line 11, rules[0].when.any[0].above: expected a number",
        "attribute: cmr     | attribute: speed    | line 11, rules[0].when.any[0].attribute: unknown attribute 'speed'",
        "any:               | either:             | rules[0].when: unknown key 'either'",
        "direction: up      | direction: left     | line 13, rules[0].set.keep-alive-timeout.direction: expected up",
        "keep-alive-timeout | mitigation          | unknown lever 'mitigation'",
        "update: response-time, factor: 3 | update: magic | unknown update function 'magic'",
        "factor: 3          | factor: 0           | factor: expected a number above 0",
        "factor: 3          | value: 3            | key 'factor' is missing",
        "factor: 3          | factor: 3, value: 3 | 'value' belongs to the update function constant",
        "{attribute: steal, above: 0.05} | steal  | line 4, witnesses[0]: expected keys with values",
        "reason: the cache is gone | ''           | line 6, rules[0]: key 'reason' is missing",
        "format: 1          | 'format: 1\nformat: 1' | format"})
    void refusesABrokenFileByLineAndKey(String good, String bad, String message) {
        assertThat(GOOD).contains(good);
        String broken = GOOD.replaceFirst(java.util.regex.Pattern.quote(good), bad.replace("\\n", "\n"));
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", broken))
                .isInstanceOf(FormatException.class).hasMessageStartingWith("rules.yaml: line ")
                .hasMessageContaining(message);
    }

    @Test
    void refusesWhatIsNoRuleFile() {
        for (String text : new String[] {"", "7", "- a", "a: [", "format: 1\nrules: 7"}) {
            assertThatThrownBy(() -> RulesYaml.read("r.yaml", text)).as(text).isInstanceOf(FormatException.class);
        }
    }
}
