// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code ssh://[user@]host[:port]}.
 *
 * @param user the account there; empty: what the ssh configuration says
 * @param host a host name, an address, or an alias of the ssh configuration
 * @param port the TCP port; empty: what the ssh configuration says
 */
public record SshAddress(Optional<String> user, String host, Optional<Integer> port) {

    private static final Pattern FORM =
            Pattern.compile("ssh://(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)@)?([A-Za-z0-9_][A-Za-z0-9_.-]*|\\[[0-9a-fA-F:]+])"
                    + "(?::(\\d{1,5}))?/?");

    /** Reads the address; refuses anything that ssh could take for an option. */
    public static SshAddress parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("expected ssh://user@host or ssh://user@host:port, got \"" + text + "\"");
        }
        String host = form.group(2);
        return new SshAddress(Optional.ofNullable(form.group(1)),
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                Optional.ofNullable(form.group(3)).map(Integer::valueOf));
    }

    @Override
    public String toString() {
        return "ssh://" + user.map(name -> name + "@").orElse("") + host + port.map(number -> ":" + number).orElse("");
    }
}
