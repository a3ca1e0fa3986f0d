// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.ic2.fleet.label.HostDay.Stretch;
import org.ic2.fleet.store.FleetException;
import org.junit.jupiter.api.Test;

/** Who vouches for whom. A letter a window: q quiet, S slow, b busier, u no response time, blank absent. */
class HostDayTest {
    private static final AgreementRule RULE = new AgreementRule(3, 5, 2, 5, 1.5, 1.25);

    private static HostDay host(String... tenants) {
        HostDay host = new HostDay(RULE, tenants[0].length());
        for (int t = 0; t < tenants.length; t++) {
            for (int w = 0; w < tenants[t].length(); w++) {
                char state = tenants[t].charAt(w);
                if (state != ' ') {
                    host.seen("t" + t, w, 5, state == 'u' ? 0 : 5, state == 'S' ? 3 : 2, state == 'b' ? 4 : 0);
                }
            }
        }
        return host;
    }

    /** The first letter of the verdict on each window of a tenant: V vouched, E edge, A alone, C calm, S spared, B busy, U unknown or unmeasured. */
    private static String said(HostDay host, int tenant, int windows) {
        StringBuilder said = new StringBuilder(" ".repeat(windows));
        for (Stretch one : host.stretches()) {
            if (one.tenant().equals("t" + tenant)) {
                for (int w = one.from(); w < one.to(); w++) {
                    assertThat(said.charAt(w)).isEqualTo(' ');
                    said.setCharAt(w, one.verdict().name().charAt(0));
                }
            }
        }
        return said.toString();
    }

    @Test
    void threeThatAreSlowTogetherVouchForEachOtherAndTheFourthIsLeftOut() {
        HostDay host = host("qqqSSSSqqq", "qqqSSqSqqq", "qqqSSSSqqq", "qqqqqqqqqq");
        assertThat(said(host, 0, 10)).isEqualTo("CCEVVVVECC");
        assertThat(said(host, 1, 10)).isEqualTo("CCEVVVVECC");
        assertThat(said(host, 3, 10)).isEqualTo("CCESSSSECC");
    }

    @Test
    void twoAreNotEnoughAndOneIsAlone() {
        HostDay host = host("qqSSSSq", "qqSSSSq", "qqqqqqq", "SSqqqqq");
        assertThat(said(host, 0, 7)).isEqualTo("CCAAAAC");
        assertThat(said(host, 2, 7)).isEqualTo("CCCCCCC");
        assertThat(said(host, 3, 7)).isEqualTo("AACCCCC");
    }

    @Test
    void aBusierTenantDoesNotVouch() {
        HostDay host = host("qqSSSSq", "qqSSSSq", "qqbbbbq", "qqbbbbq");
        assertThat(said(host, 0, 7)).isEqualTo("CCAAAAC");
        assertThat(said(host, 2, 7)).isEqualTo("CCCCCCC");
        HostDay three = host("qqSSSSq", "qqSSSSq", "qqSSSSq", "qqbbbbq");
        assertThat(said(three, 3, 7)).isEqualTo("CEBBBBE");
    }

    @Test
    void oneWindowIsNoStretchAndOneGapDoesNotEndIt() {
        assertThat(said(host("qqSqqq", "qqSqqq", "qqSqqq"), 0, 6)).isEqualTo("CCACCC");
        assertThat(said(host("qSqSqq", "qSqSqq", "qSqSqq"), 0, 6)).isEqualTo("EVVVEC");
    }

    @Test
    void aHostWithTooFewMeasuredTenantsSaysNothing() {
        HostDay host = host("qqSSqq", "qqSSqq");
        assertThat(said(host, 0, 6)).isEqualTo("UUUUUU");
        HostDay some = host("qqqq", "qqqq", "qu  ");
        assertThat(some.stretches()).extracting(Stretch::verdict).containsExactlyInAnyOrder(Vouching.CALM, Vouching.UNKNOWN, Vouching.CALM,
                Vouching.UNKNOWN, Vouching.CALM, Vouching.UNMEASURED);
        assertThat(HostDay.counts(some.stretches())).isEqualTo(Map.of(Vouching.CALM, 15L, Vouching.UNKNOWN, 30L, Vouching.UNMEASURED, 5L));
    }

    @Test
    void twoStretchesCloseTogetherAreBothSeen() {
        assertThat(said(host("SSqqSS", "SSqqSS", "SSqqSS"), 0, 6)).isEqualTo("VVEEVV");
        assertThat(said(host("SSqqqSS", "SSqqqSS", "SSqqqSS"), 0, 7)).isEqualTo("VVECEVV");
    }

    @Test
    void impossibleRulesAreRefused() {
        assertThatThrownBy(() -> new AgreementRule(1, 5, 2, 5, 1.5, 1.25)).isInstanceOf(FleetException.class)
                .hasMessageContaining("--agree: expected 2 or more");
        for (AgreementRule good : List.of(RULE)) {
            assertThat(good.slowAbove(1, 0.9)).isEqualTo(1.5);
            assertThat(good.slowAbove(1, 0.8)).isEqualTo(2.0, org.assertj.core.data.Offset.offset(1e-9));
            assertThat(good.busyAbove(1, 1)).isEqualTo(1.25);
        }
    }
}
