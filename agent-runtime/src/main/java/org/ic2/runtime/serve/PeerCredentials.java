// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;

/** Who asks for a change, in words for the journal: {@code uid 1000 (alice)}. */
public final class PeerCredentials {

    private PeerCredentials() {
    }

    /** Who is at the other end of a Unix socket; the kernel says so. */
    static String at(SocketChannel channel) throws IOException {
        return named(channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user());
    }

    /** Who runs this process. */
    public static String self() {
        try {
            return named(Files.getOwner(Path.of("/proc/self")));
        } catch (IOException e) {
            return "user " + System.getProperty("user.name");
        }
    }

    /** Java has the number of a user and does not give it; one that it takes for the same user is it. */
    private static String named(UserPrincipal user) {
        String number = Integer.toUnsignedString(user.hashCode());
        try {
            boolean same = FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(number).equals(user);
            return !same ? "user " + user.getName() : "uid " + number + (user.getName().equals(number) ? "" : " (" + user.getName() + ")");
        } catch (IOException e) {
            return "user " + user.getName();
        }
    }
}
