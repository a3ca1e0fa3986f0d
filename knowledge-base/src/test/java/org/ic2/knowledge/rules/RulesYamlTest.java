// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesYamlTest {
    private static final String GOOD = """
            format: 1
            fallback: cache
            independent-signals:
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

    private static final String NEVER = "never-normal: [{attribute: %s, above: 0.9}]\n";

    @Test
    void readsRules() {
        KnowledgeBase knowledge = RulesYaml.read("rules.yaml", GOOD);
        assertThat(knowledge.fallback().id()).isEqualTo("cache");
        assertThat(knowledge.fallback().moves()).singleElement().extracting(Move::describe)
                .isEqualTo("keep-alive-timeout up by 3 x (RT - RT_ni)");
        assertThat(knowledge.independentSignals()).extracting(Condition::describe).containsExactly("steal > 0.05");
        assertThat(knowledge.neverNormal()).as("of an earlier file").isEmpty();
        assertThat(RulesYaml.read("rules.yaml", GOOD + NEVER.formatted("run_delay")).neverNormal())
                .extracting(Condition::describe).containsExactly("run_delay > 0.9");
    }

    @Test
    void aFileOfRulesAloneIsEnough() {
        String alone = GOOD.replaceFirst("(?s)independent-signals:.*?\\nrules:", "rules:");
        assertThat(alone).isNotEqualTo(GOOD);
        KnowledgeBase knowledge = RulesYaml.read("rules.yaml", alone);
        assertThat(knowledge.independentSignals()).isEmpty();
        assertThat(knowledge.rules()).hasSize(1);
    }

    @Test
    void aRuleActsInInterferenceUnlessTheFileSaysOtherwise() {
        assertThat(RulesYaml.read("rules.yaml", GOOD).fallback().always()).isFalse();
        assertThat(RulesYaml.read("rules.yaml", GOOD.replace("row: 3", "acts: in-interference")).fallback().always()).isFalse();
        Rule always = RulesYaml.read("rules.yaml", GOOD.replace("row: 3", "acts: always")).fallback();
        assertThat(always.always()).isTrue();
        assertThat(always.toText()).contains("when cmr > 0.1, also without interference");
    }

    @Test
    void interferenceAloneIsAContext() {
        String confirmed = GOOD.replaceFirst("any:\\n.*\\n", "interference: confirmed\n");
        Rule rule = RulesYaml.read("rules.yaml", confirmed).fallback();
        assertThat(rule.conditions()).isEmpty();
        assertThat(rule.toText()).contains("when interference is confirmed\n");
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", confirmed.replace("confirmed", "likely")))
                .isInstanceOf(FormatException.class).hasMessageContaining("rules[0].when.interference: expected one of confirmed, got \"likely\"");
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", confirmed.replace("row: 3", "acts: always")))
                .isInstanceOf(FormatException.class).hasMessageContaining("rules[0].acts: 'always' needs evidence of the rule's own");
    }

    @Test
    void neverNormalRefusesRelativeQuantities() {
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", GOOD + NEVER.formatted("steal_excess")))
                .isInstanceOf(FormatException.class).hasMessageContaining("never-normal: steal_excess is relative")
                .hasMessageContaining("expected steal");
    }

    @Test
    void assumedReliefsAreReadStrictly() {
        assertThat(RulesYaml.read("rules.yaml", GOOD).reliefs()).as("of an earlier file").isEqualTo(AssumedEffects.none());
        String assumed = GOOD + "assumed-reliefs: {mitigation: {1: 0.9, 3: 0.5}, php-max-children: {25: 0.8}}\n";
        AssumedEffects reliefs = RulesYaml.read("rules.yaml", assumed).reliefs();
        Settings base = Settings.of(Lever.MITIGATION, 0).with(Lever.PHP_MAX_CHILDREN, 50);
        assertThat(reliefs.at(base, base)).isEqualTo(1);
        assertThat(reliefs.at(base.with(Lever.MITIGATION, 2), base)).as("between two").isEqualTo(0.9);
        assertThat(reliefs.at(base.with(Lever.MITIGATION, 9), base)).as("above all").isEqualTo(0.5);
        assertThat(reliefs.at(base.with(Lever.PHP_MAX_CHILDREN, 20), base)).as("downwards").isEqualTo(0.8);
        assertThat(reliefs.at(base.with(Lever.PHP_MAX_CHILDREN, 30), base)).isEqualTo(1);
        assertThat(reliefs.at(base.with(Lever.PHP_MAX_CHILDREN, 20).with(Lever.MITIGATION, 3), base))
                .as("they do not add up").isEqualTo(0.5);
        Settings threads = Settings.of(Lever.MAX_REQUEST_WORKERS, 300);
        assertThat(reliefs.at(threads, threads)).as("nothing is assumed").isNaN();
        assertThat(reliefs.toText()).isEqualTo("php-max-children: 25 0.8\nmitigation: 1 0.9, 3 0.5\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "mitigation: 0.9         | assumed-reliefs.mitigation: expected keys and values, got \"0.9\"",
        "mitigations: {1: 0.9}   | assumed-reliefs.mitigations: unknown knob 'mitigations'; expected one of",
        "mitigation: {one: 0.9}  | assumed-reliefs.mitigation.one: no value of mitigation: expected a whole number",
        "mitigation: {1: 0}      | assumed-reliefs.mitigation.1: expected a number above 0",
        "mitigation: {1: 1.1}    | assumed-reliefs.mitigation.1: expected a share of what an operation costs",
        "mitigation: {1: .nan}   | assumed-reliefs.mitigation.1: expected a number",
        "'mitigation: {1: 1, 01: 1}' | assumed-reliefs.mitigation.01: this value of mitigation is there twice"})
    void refusesAnImpossibleAssumption(String assumed, String message) {
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", GOOD + "assumed-reliefs: {" + assumed + "}\n"))
                .isInstanceOf(FormatException.class).hasMessageStartingWith("rules.yaml:15: " + message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "fallback: cache    | fallback: cash      | 2: fallback: expected the id of a rule, one of [cache]",
        "format: 1          | format: 7           | 1: format: expected 1",
        "row: 3             | raw: 3              | 7: rules[0].raw: unknown key; expected one of id, row,",
        "row: 3             | row: three          | 7: rules[0].row: expected a whole number, got \"three\"",
        "above: 0.1         | over: 0.1           | 11: rules[0].when.any[0].over: unknown key",
        "above: 0.1         | above: .inf         | 11: rules[0].when.any[0].above: expected a number",
        "above: 0.1         | above: 1e400        | 11: rules[0].when.any[0].above: expected a number",
        "', above: 0.1'     | ''                  | 11: rules[0].when.any[0].attribute: expected one of 'above'",
        "attribute: cmr     | attribute: speed    | 11: rules[0].when.any[0].attribute: unknown attribute 'speed'",
        "any:               | either:             | 10: rules[0].when.either: unknown key",
        "any:               | 'interference: confirmed\n      any:' | 11: rules[0].when.any: expected one of 'all', 'any' and",
        "row: 3             | acts: sometimes     | 7: rules[0].acts: expected one of in-interference, always, got",
        "direction: up      | direction: left     | 13: rules[0].set.keep-alive-timeout.direction: expected up",
        "keep-alive-timeout | keep-alive          | 13: rules[0].set.keep-alive: unknown knob 'keep-alive'; expected one",
        "update: response-time, factor: 3 | update: magic | update: unknown update function 'magic'",
        "factor: 3          | factor: 0           | factor: expected a number above 0",
        "factor: 3          | value: 3            | 13: rules[0].set.keep-alive-timeout.factor: missing",
        "factor: 3          | factor: 3, value: 3 | value: belongs to the update function constant",
        "{attribute: steal, above: 0.05} | steal  | 4: independent-signals[0]: expected keys and values, got \"steal\"",
        "reason: the cache is gone | ''           | 6: rules[0].reason: missing",
        "format: 1          | 'format: 1\nformat: 1' | 2: format: given twice"})
    void refusesABrokenFileByLineAndKey(String good, String bad, String message) {
        assertThat(GOOD).contains(good);
        String broken = GOOD.replaceFirst(java.util.regex.Pattern.quote(good), bad.replace("\\n", "\n"));
        assertThatThrownBy(() -> RulesYaml.read("rules.yaml", broken))
                .isInstanceOf(FormatException.class).hasMessageStartingWith("rules.yaml:")
                .hasMessageContaining(message);
    }

    @Test
    void readsThresholdsInEveryFormOfANumber() {
        for (String number : new String[] {"1e-1", "+0.1", ".1", "0.10", "1.e-1"}) {
            assertThat(RulesYaml.read("r.yaml", GOOD.replace("above: 0.1", "above: " + number))).as(number)
                    .extracting(knowledge -> knowledge.fallback().conditions().get(0).describe())
                    .isEqualTo("cmr > 0.1");
        }
    }

    @Test
    void refusesWhatIsNoRuleFile() {
        for (String text : new String[] {"", "7", "- a", "a: [", "format: 1\nrules: 7"}) {
            assertThatThrownBy(() -> RulesYaml.read("r.yaml", text)).as(text).isInstanceOf(FormatException.class);
        }
    }
}
