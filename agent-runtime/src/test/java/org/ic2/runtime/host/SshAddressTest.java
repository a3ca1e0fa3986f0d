// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SshAddressTest {

    @ParameterizedTest
    @ValueSource(strings = {"ssh://-oProxyCommand=id@host", "ssh://user@-oX", "host", "ssh://", "ssh://a b@c",
        "ssh://user@host:port"})
    void addressesThatSshCouldTakeForOptionsAreRefused(String text) {
        assertThatThrownBy(() -> SshAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
