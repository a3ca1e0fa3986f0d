// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class NumbersTest {
    private final Map<String, Double> map = new LinkedHashMap<>(Map.of("steal", 0.2));

    @Test
    void isTheMapThatItWasMadeOfInItsOrder() {
        map.put("a", 1.0);
        map.put("zero", -0.0);

        Numbers numbers = Numbers.copyOf(map);

        assertThat(numbers).isEqualTo(map).hasSameHashCodeAs(map);
        assertThat(map).isEqualTo(numbers);
        assertThat(numbers.keySet()).containsExactly("steal", "a", "zero");
        assertThat(numbers.get("a")).isEqualTo(1);
        assertThat(numbers.get("b")).isNull();
        assertThat(numbers.containsKey(null)).isFalse();
        assertThat(Numbers.copyOf(numbers)).isSameAs(numbers);
    }

    @Test
    void missingNumbersAreLeftOutAndTheBuilderGrows() {
        Numbers numbers = new Numbers.Builder(0).put("a", 1).put("b", Double.NaN).put("c", 3).putAll(map).build();

        assertThat(numbers).containsExactlyEntriesOf(new LinkedHashMap<>() {{
            put("a", 1.0);
            put("c", 3.0);
            put("steal", 0.2);
        }});
    }

    @Test
    void doesNotChangeAny() {
        Numbers.Builder builder = new Numbers.Builder(1).put("a", 1);
        Numbers numbers = builder.build();
        builder.put("b", 2);

        assertThat(numbers).containsOnlyKeys("a");
        assertThatThrownBy(() -> numbers.put("c", 1.0)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> numbers.entrySet().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> new Numbers.Builder(0).build().entrySet().iterator().next())
                .isInstanceOf(NoSuchElementException.class);
    }
}
