// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.ic2.runtime.json.Json;

/** Knobs, their values and what is proposed of them in JSON, as journal and recordings hold it. */
public final class ProposalJson {

    private ProposalJson() {
    }

    /** {@code controller}, {@code kind}, {@code uuid} or {@code pool}, {@code name}, {@code value}, {@code formula}, {@code numbers}. */
    public static ObjectNode write(KnobProposal proposal) {
        ObjectNode json = Json.object().put("controller", proposal.controller());
        json.setAll(write(proposal.knob(), proposal.value()));
        json.put("formula", proposal.why().formula());
        ObjectNode numbers = json.putObject("numbers");
        proposal.why().numbers().forEach((name, number) -> {
            if (Double.isFinite(number)) {
                numbers.put(name, number);
            } else {
                numbers.put(name, number.toString());
            }
        });
        return json;
    }

    /** {@code kind}, {@code uuid} or {@code pool}, {@code name} and {@code value}. */
    public static ObjectNode write(GuestKnob knob, int value) {
        ObjectNode json = Json.object().put("kind", knob.kind().key());
        if (knob.target() instanceof Target.OfGuest guest) {
            json.put("uuid", guest.uuid()).put("name", guest.name());
        } else {
            json.put("pool", knob.target().name());
        }
        return json.put("value", value);
    }
}
