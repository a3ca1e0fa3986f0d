// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;

/**
 * How the OpenSSH client is called.
 *
 * @param identity   private key file; empty: what the ssh configuration says
 * @param knownHosts the only file host keys are looked up in; empty: what the ssh configuration says
 * @param controlDir private directory for the control sockets; its path must be short (a socket's path has 108 bytes)
 */
public record SshOptions(Optional<Path> identity, Optional<Path> knownHosts, Path controlDir) {

    private static final Logger LOG = Logger.getLogger(SshOptions.class.getName());
    private static final Path MEMORY = Path.of("/dev/shm");

    /** The options of every call: never ask, never accept an unknown host key, notice a dead link within 6 s. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=yes",
                "-o", "ConnectTimeout=5",
                "-o", "ServerAliveInterval=2",
                "-o", "ServerAliveCountMax=2",
                "-o", "StreamLocalBindUnlink=yes",
                "-o", "LogLevel=ERROR"));
        identity.ifPresent(file -> arguments.addAll(List.of("-o", "IdentitiesOnly=yes", "-i", file.toString())));
        knownHosts.ifPresent(file -> arguments.addAll(List.of(
                "-o", "UserKnownHostsFile=" + file, "-o", "GlobalKnownHostsFile=/dev/null")));
        return arguments;
    }

    /** The same, with sockets in memory where the disk takes none: the restore of a server elsewhere needs no disk here. */
    SshOptions reachable() {
        try {
            Files.createDirectories(controlDir);
            Files.delete(Files.createTempFile(controlDir, "try", null));
            return this;
        } catch (IOException e) {
            return inMemory(e);
        }
    }

    private SshOptions inMemory(IOException reason) {
        try {
            SshOptions other = new SshOptions(identity, knownHosts, Files.createTempDirectory(MEMORY, "ic2-ssh"));
            LOG.warning("the sockets of ssh are in " + other.controlDir + ": " + reason);
            return other;
        } catch (IOException e) {
            LOG.warning("no place for the sockets of ssh: " + reason + "; " + e);
            return this;
        }
    }
}
