// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

/**
 * What a controller wants.
 *
 * @param knob       of what
 * @param value      in the knob's unit
 * @param controller who wants it
 * @param why        with its numbers
 */
public record KnobProposal(GuestKnob knob, int value, String controller, Rationale why) {
}
