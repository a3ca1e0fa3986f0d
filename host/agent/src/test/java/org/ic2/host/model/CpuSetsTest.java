// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetsTest {

    private static List<Integer> first(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void listsAreReadAndWrittenAsTheKernelDoes() {
        assertThat(CpuSets.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
        assertThat(CpuSets.format(List.of(11, 10, 8, 3, 2, 1, 0))).isEqualTo("0-3,8,10-11");
        assertThat(CpuSets.parse("")).isEmpty();
        assertThat(CpuSets.format(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "0-", "-1", "3-1", "0,,1", "0 1", "12345", "0-3,", ","})
    void garbageIsNoList(String list) {
        assertThatThrownBy(() -> CpuSets.parse(list)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected CPUs such as 0-3,8, got \"" + list);
    }

    @Test
    void aMaskHasABitForEachCpu() {
        assertThat(CpuSets.mask(List.of(0, 2))).isEqualTo(5);
        assertThat(CpuSets.mask(first(31))).isEqualTo(Integer.MAX_VALUE);
        assertThat(CpuSets.cpus(Integer.MAX_VALUE)).isEqualTo(first(31));
        assertThat(CpuSets.cpus(0)).isEmpty();
        assertThatThrownBy(() -> CpuSets.mask(List.of(31))).hasMessageContaining("got 31");
    }

    @Test
    void anAffinityIsTheOneCpuOrTellsSetsApart() {
        List<Integer> all = first(6);
        Set<Integer> values = new HashSet<>();
        for (int mask = 1; mask < 64; mask++) {
            int value = CpuSets.affinity(CpuSets.cpus(mask), all);
            assertThat(CpuSets.isOne(value)).isEqualTo(Integer.bitCount(mask) == 1);
            values.add(value);
        }
        assertThat(values).hasSize(63).contains(0, 5, -1);
        assertThat(CpuSets.affinity(all, all)).isEqualTo(-1);
        assertThat(CpuSets.affinity(List.of(200), first(256))).isEqualTo(200);
        assertThat(CpuSets.affinity(List.of(200, 201), first(256))).isLessThan(-1)
                .isNotEqualTo(CpuSets.affinity(List.of(200, 202), first(256)));
    }
}
