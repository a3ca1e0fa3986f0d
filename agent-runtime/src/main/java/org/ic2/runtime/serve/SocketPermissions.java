// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.logging.Logger;

/** Who may come in by one of the agent's sockets. The kernel decides, by the socket's owner, group and mode. */
public enum SocketPermissions {

    /** The agent's own group may look, and only look. */
    READERS,

    /** Where the group {@value #GROUP} exists and the agent is in it, that group may do all; else only the agent's user. */
    OPERATORS;

    public static final String GROUP = "ic2-operator";

    private static final Logger LOG = Logger.getLogger(SocketPermissions.class.getName());

    /** Opens a socket that was just bound to those whom it is for. */
    void grant(Path socket) throws IOException {
        grant(socket, GROUP);
    }

    void grant(Path socket, String operators) throws IOException {
        boolean shared = this == READERS || give(socket, operators);
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(shared ? "rw-rw----" : "rw-------"));
    }

    private static boolean give(Path socket, String name) throws IOException {
        try {
            GroupPrincipal group = socket.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(name);
            Files.getFileAttributeView(socket, PosixFileAttributeView.class).setGroup(group);
            return true;
        } catch (UserPrincipalNotFoundException e) {
            return false;
        } catch (FileSystemException e) {
            LOG.warning("the agent is not in the group " + name + ", so nobody but its own user operates it: " + e.getMessage());
            return false;
        }
    }
}
