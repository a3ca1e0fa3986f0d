// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class CookieJarTest {
    private final CookieJar jar = new CookieJar(Clock.fixed(Instant.parse("2030-01-01T00:00:00Z"), ZoneOffset.UTC));

    @Test
    void sendsACookieOnlyBelowItsPath() {
        jar.accept("form=a; Path=/login; HttpOnly; SameSite=Strict", "/login");
        jar.accept("session=b; Path=/", "/login");
        assertThat(jar.header("/login")).isEqualTo("form=a; session=b");
        assertThat(jar.header("/login/x")).isEqualTo("form=a; session=b");
        assertThat(jar.header("/login?x")).isEqualTo("form=a; session=b");
        assertThat(jar.header("/loginx")).isEqualTo("session=b");
    }

    @Test
    void aNewValueReplacesTheOldOne() {
        jar.accept("s=1; Path=/", "/");
        jar.accept("s=2; Path=/", "/a/b");
        assertThat(jar.header("/")).isEqualTo("s=2");
    }

    @Test
    void removesByMaxAgeOrByADateInThePast() {
        jar.accept("a=1; Path=/", "/");
        jar.accept("b=1; Path=/", "/");
        jar.accept("c=1; Path=/; Expires=Wed, 02 Jan 2030 00:00:00 GMT", "/");
        jar.accept("a=; Path=/; Max-Age=0", "/");
        jar.accept("b=; Path=/; Expires=Thu, 01-Jan-1970 00:00:01 GMT", "/");
        assertThat(jar.header("/")).isEqualTo("c=1");
        jar.clear();
        assertThat(jar.header("/")).isNull();
    }

    @Test
    void withoutAPathTheFolderOfTheRequestCounts() {
        jar.accept("a=1", "/shop/list?q=/x");
        assertThat(jar.header("/shop/other")).isEqualTo("a=1");
        assertThat(jar.header("/")).isNull();
    }

    @Test
    void ignoresNonsense() {
        jar.accept("", "/");
        jar.accept("=x; Path=/", "/");
        jar.accept("novalue", "/");
        assertThat(jar.header("/")).isNull();
    }
}
