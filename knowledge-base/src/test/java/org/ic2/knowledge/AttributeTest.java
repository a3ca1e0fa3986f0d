// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AttributeTest {
    private static final Sample SAMPLE =
            Sample.at(Instant.EPOCH).set(Metric.STEAL, 0.3).set(Metric.RESPONSE_TIME, 0.4).build();

    @Test
    void everyNameReadsBack() {
        for (Metric metric : Metric.values()) {
            assertThat(Attribute.parse(metric.column())).isEqualTo(new Attribute(metric, Attribute.Form.PLAIN));
        }
        for (Metric metric : Attribute.LEARNED) {
            for (Attribute.Form form : Attribute.Form.values()) {
                Attribute attribute = new Attribute(metric, form);
                assertThat(Attribute.parse(attribute.name())).isEqualTo(attribute);
            }
        }
    }

    @Test
    void relativeFormsUseTheMedian() {
        Features features = new Features(SAMPLE,
                new Medians(Map.of(Metric.STEAL, 0.1, Metric.RESPONSE_TIME, 0.2), 20));
        assertThat(features.get(Attribute.parse("response_time"))).isEqualTo(0.4);
        assertThat(features.get(Attribute.parse("response_time_ratio"))).isEqualTo(2);
        assertThat(features.get(Attribute.parse("steal_excess"))).isEqualTo(0.3 - 0.1);
    }

    @Test
    void relativeFormsAreMissingWithoutAMedianAndRatiosWithAMedianOfZero() {
        Features unlearned = new Features(SAMPLE, Medians.none());
        assertThat(unlearned.get(Attribute.parse("response_time_ratio"))).isNaN();
        assertThat(unlearned.get(Attribute.parse("steal_excess"))).isNaN();
        Features zero = new Features(SAMPLE, new Medians(Map.of(Metric.STEAL, 0.0), 20));
        assertThat(zero.get(Attribute.parse("steal_ratio"))).isNaN();
        assertThat(zero.get(Attribute.parse("steal_excess"))).isEqualTo(0.3);
    }

    @Test
    void refusesUnknownNames() {
        assertThatThrownBy(() -> Attribute.parse("speed")).hasMessageContaining("unknown attribute 'speed'")
                .hasMessageContaining("load_per_operation");
        assertThatThrownBy(() -> Attribute.parse("kat_ratio")).hasMessageContaining("no median of kat is learned");
    }
}
