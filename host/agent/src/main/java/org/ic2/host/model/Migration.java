// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

/**
 * A guest that should live on another host.
 *
 * @param uuid which guest
 * @param id   how its host addresses it while it runs there
 * @param name for people
 * @param from the name of its host in the fleet
 * @param to   the name of the other one
 * @param why  with its numbers
 */
public record Migration(String uuid, String id, String name, String from, String to, Rationale why) {
}
