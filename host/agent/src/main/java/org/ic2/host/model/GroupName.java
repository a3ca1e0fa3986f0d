// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.List;

/** The name of the control group whose children are guests. */
public final class GroupName {

    private GroupName() {
    }

    /**
     * The name without slashes at its ends.
     *
     * @throws IllegalArgumentException when it names none, or one that is elsewhere
     */
    public static String plain(String groups) {
        String name = groups.replaceAll("^/+|/+$", "");
        if (name.isBlank() || List.of(name.split("/")).stream().anyMatch(part -> part.isEmpty() || part.equals("..") || part.equals("."))) {
            throw new IllegalArgumentException("expected the name of the control group whose children are the guests,"
                    + " such as machine.slice, got \"" + groups + "\"");
        }
        return name;
    }
}
