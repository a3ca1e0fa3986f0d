// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ic2.runtime.knob.Plain.BURST;
import static org.ic2.runtime.knob.Plain.THREADS;
import static org.ic2.runtime.knob.Plain.TIMEOUT;
import static org.ic2.runtime.knob.Plain.ZOOM;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Settings SOME = Settings.of(Map.of(ZOOM, 3, THREADS, 650, TIMEOUT, 5000));
    private final ObjectMapper mapper = new ObjectMapper();

    @Test
    void knobsKeepTheirOrderByRankAndThenByKey() {
        assertThat(SOME.with(BURST, 1).knobs()).containsExactly(THREADS, TIMEOUT, BURST, ZOOM);
        assertThat(SOME.describe()).isEqualTo("threads 650, timeout 5000, zoom 3");
    }

    @Test
    void valuesAreReadSetAndComparedByTheKnobsKey() {
        Knob again = new Plain("zoom", "zoom", Integer.MAX_VALUE, 0, 7);
        assertThat(SOME.get(again)).isEqualTo(3);
        assertThat(SOME.has(BURST)).isFalse();
        assertThat(SOME.with(ZOOM, 4)).isEqualTo(Settings.of(TIMEOUT, 5000).with(again, 4).with(THREADS, 650))
                .isNotEqualTo(SOME).hasSameHashCodeAs(SOME.with(ZOOM, 4));
        assertThat(SOME.with(ZOOM, 4).get(ZOOM)).isEqualTo(4);
        assertThat(SOME.get(ZOOM)).as("the first is what it was").isEqualTo(3);
        assertThat(SOME).isNotEqualTo(SOME.without(Set.of(ZOOM)));
        assertThat(Settings.of(ZOOM, 1)).isNotEqualTo(Settings.of(BURST, 1));
    }

    @Test
    void partsAreTakenAndPutTogether() {
        assertThat(SOME.only(List.of(ZOOM, BURST))).isEqualTo(Settings.of(ZOOM, 3));
        assertThat(SOME.without(List.of(THREADS, TIMEOUT))).isEqualTo(Settings.of(ZOOM, 3));
        assertThat(SOME.with(Settings.of(ZOOM, 9).with(BURST, 2)).describe())
                .isEqualTo("threads 650, timeout 5000, burst 2, zoom 9");
        assertThat(Settings.none().isEmpty()).isTrue();
    }

    /** As of a host with many guests: what holds of a few knobs, looked through one by one, holds of many. */
    @Test
    void ofManyKnobsTheSameIsTrueAsOfFew() {
        Random random = new Random(7);
        List<Knob> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(new Plain("knob-" + i * 37 % 60, "k" + i, i % 3 == 0 ? i : Integer.MAX_VALUE, 0, 7));
        }
        for (int round = 0; round < 300; round++) {
            Map<String, Integer> expected = new TreeMap<>();
            Settings some = Settings.none();
            Settings other = Settings.none();
            List<Knob> chosen = new ArrayList<>();
            for (Knob knob : all) {
                if (random.nextInt(3) > 0) {
                    some = some.with(knob, random.nextInt(9));
                    expected.put(knob.key(), some.get(knob));
                }
                if (random.nextInt(round % 10 + 1) == 0) {
                    // the same knob under another rank
                    Knob again = random.nextBoolean() ? knob : new Plain(knob.key(), "again", 5, 0, 7);
                    other = other.with(again, random.nextInt(9));
                    chosen.add(again);
                }
            }
            Map<String, Integer> kept = new TreeMap<>(expected);
            Map<String, Integer> rest = new TreeMap<>(expected);
            Set<String> keys = chosen.stream().map(Knob::key).collect(Collectors.toSet());
            kept.keySet().retainAll(keys);
            rest.keySet().removeAll(keys);
            assertThat(byKey(some.only(chosen))).isEqualTo(kept);
            assertThat(byKey(some.without(chosen))).isEqualTo(rest);
            expected.putAll(byKey(other));
            Settings both = some.with(other);
            assertThat(byKey(both)).isEqualTo(expected);
            assertThat(List.<Knob>copyOf(both.knobs())).isSortedAccordingTo(Knob.ORDER).hasSize(expected.size());
            assertThat(some.with(some)).isSameAs(some);
        }
    }

    private static Map<String, Integer> byKey(Settings settings) {
        Map<String, Integer> map = new TreeMap<>();
        settings.values().forEach((knob, value) -> map.put(knob.key(), value));
        return map;
    }

    @Test
    void differencesAreNamed() {
        Settings other = SOME.with(THREADS, 300).with(BURST, 1);
        assertThat(SOME.diff(other)).containsExactly(THREADS, BURST);
        assertThat(SOME.changes(other)).isEqualTo("threads 650 -> 300");
        assertThat(SOME.differences(other, " from ", " to ")).isEqualTo("threads from 650 to 300");
        assertThat(SOME.same(other, BURST)).isFalse();
        assertThat(SOME.same(other, ZOOM)).isTrue();
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> SOME.with(THREADS, 0)).hasMessage("threads: expected at least 1, got 0");
        assertThatThrownBy(() -> Settings.of(Map.of(THREADS, 0))).hasMessageStartingWith("threads: ");
        assertThatThrownBy(() -> SOME.get(BURST)).hasMessageContaining("burst: no value");
    }

    @Test
    void aKnobReadsWhatItWrites() {
        assertThat(THREADS.parse(THREADS.format(650))).isEqualTo(650);
        assertThatThrownBy(() -> THREADS.parse("650s")).hasMessage(
                "expected a whole number without a unit, got \"650s\"");
        assertThatThrownBy(() -> THREADS.parse("-1")).hasMessageContaining("got \"-1\"");
        assertThatThrownBy(() -> THREADS.parse("0")).hasMessage("expected at least 1, got \"0\"");
    }

    @Test
    void theJsonForOthersHasTheColumnsAndTheirUnits() throws Exception {
        var node = mapper.createObjectNode();
        SettingsJson.put(node, SOME);
        assertThat(node.toString()).isEqualTo("{\"thr\":650,\"tmo\":5.0,\"zoom\":3}");
        assertThat(SettingsJson.read(node, SOME.knobs())).contains(SOME);
        assertThat(SettingsJson.read(node, List.of(TIMEOUT))).contains(Settings.of(TIMEOUT, 5000));
        assertThat(SettingsJson.read(node, SOME.with(BURST, 1).knobs())).as("older than the knob").contains(SOME);
        assertThat(SettingsJson.read(null, SOME.knobs())).isEmpty();
        for (String bad : new String[] {"{\"thr\":650}", "{\"thr\":0,\"tmo\":1}", "{\"thr\":\"1\",\"tmo\":1}", "7"}) {
            assertThat(SettingsJson.read(mapper.readTree(bad), SOME.knobs())).as(bad).isEmpty();
        }
    }

    @Test
    void theJsonOfAStateHasTheKeys() throws Exception {
        Vocabulary known = Vocabulary.of(SOME.knobs(), List.of());
        var node = mapper.createObjectNode();
        SettingsJson.putByKey(node, SOME);
        assertThat(node.toString()).isEqualTo("{\"threads\":650,\"timeout\":5000,\"zoom\":3}");
        assertThat(SettingsJson.readByKey(node, known)).isEqualTo(SOME);
        assertThat(SettingsJson.readByKey(mapper.readTree("{\"zoom\":3,\"forgotten\":1}"), known)).isEqualTo(Settings.of(ZOOM, 3));
        for (String bad : new String[] {"{\"threads\":0}", "{\"threads\":1.5}", "{\"threads\":\"1\"}", "7"}) {
            var tree = mapper.readTree(bad);
            assertThatThrownBy(() -> SettingsJson.readByKey(tree, known)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aVocabularyFindsByKeyAndColumnAndHasEachOnce() {
        Vocabulary words = Vocabulary.of(List.of(ZOOM, THREADS), List.of()).with(List.of(BURST, ZOOM), List.of());
        assertThat(words.keys()).containsExactly("threads", "burst", "zoom");
        assertThat(words.knob("burst")).contains(BURST);
        assertThat(words.quantity("thr")).contains(THREADS);
        assertThat(words.quantity("speed")).isEmpty();
        assertThatThrownBy(() -> words.with(List.of(new Plain("zoom", "z", 9, 0, 1)), List.of()))
                .hasMessageContaining("two knobs have the key 'zoom'");
        assertThatThrownBy(() -> words.with(List.of(new Plain("zooms", "zoom", 9, 0, 1)), List.of()))
                .hasMessageContaining("two quantities have the column 'zoom'");
        assertThatThrownBy(() -> words.with(List.of(new Plain("Zoom", "z", 9, 0, 1)), List.of()))
                .hasMessageContaining("expected a knob's key: lower-case letters").hasMessageContaining("got 'Zoom'");
        assertThatThrownBy(() -> words.with(List.of(new Plain("z", "z,y", 9, 0, 1)), List.of()))
                .hasMessageContaining("expected a column: lower-case letters").hasMessageContaining("got 'z,y'");
    }

    @Test
    void boundsAreOfTheSameKnobs() {
        Bounds bounds = new Bounds(Settings.of(THREADS, 10), Settings.of(THREADS, 20));
        assertThat(bounds.clamp(THREADS, 25.6)).isEqualTo(20);
        assertThat(bounds.contains(Settings.of(THREADS, 9))).isFalse();
        assertThatThrownBy(() -> new Bounds(Settings.of(THREADS, 10), Settings.of(ZOOM, 20)))
                .hasMessageContaining("bounds.threads");
        assertThatThrownBy(() -> new Bounds(Settings.none(), Settings.of(ZOOM, 20))).hasMessageContaining("same knobs");
    }
}
