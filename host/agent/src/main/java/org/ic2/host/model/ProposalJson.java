// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.ic2.runtime.json.Json;

/** Knobs, their values and what is proposed of them in JSON, as journal and recordings hold it. */
public final class ProposalJson {
    /** So many of an entry of the journal say their grounds: a host of hundreds of guests has thousands each hour. */
    private static final int MOST = 100;

    private ProposalJson() {
    }

    /** {@code proposals}, the first hundred of them, and how many {@code more} there are. */
    public static ObjectNode decision(List<KnobProposal> proposals) {
        ObjectNode json = Json.object();
        ArrayNode some = json.putArray("proposals");
        proposals.stream().limit(MOST).forEach(proposal -> some.add(write(proposal)));
        return proposals.size() > MOST ? json.put("more", proposals.size() - MOST) : json;
    }

    /** {@code controller}, {@code kind}, {@code uuid} or {@code pool}, {@code name}, {@code vcpu}, {@code value}, {@code formula}, {@code numbers}. */
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

    /** {@code kind}, what {@link #writeTarget} writes, and {@code value}. */
    public static ObjectNode write(GuestKnob knob, int value) {
        ObjectNode json = Json.object().put("kind", knob.kind().key());
        writeTarget(json, knob.target());
        return json.put("value", value);
    }

    /** {@code pool}, or {@code uuid} and {@code name}, and of a virtual CPU its number as {@code vcpu}. */
    public static void writeTarget(ObjectNode json, Target target) {
        target.whose().ifPresentOrElse(guest -> json.put("uuid", guest.uuid()).put("name", guest.name()),
                () -> json.put("pool", target.name()));
        if (target instanceof Target.OfVcpu vcpu) {
            json.put("vcpu", vcpu.number());
        }
    }

    /**
     * The knob of a guest or of one of its virtual CPUs that an object names.
     *
     * @throws IllegalArgumentException if a virtual CPU is to be named, and is not
     */
    public static GuestKnob knob(KnobKind kind, Target.OfGuest guest, JsonNode json) {
        if (kind.scope() != KnobKind.Scope.VCPU) {
            return new GuestKnob(kind, guest);
        }
        if (!json.path("vcpu").isInt() || json.path("vcpu").asInt() < 0) {
            throw new IllegalArgumentException("vcpu: expected the number of a virtual CPU, got " + json.path("vcpu"));
        }
        return new GuestKnob(kind, new Target.OfVcpu(guest, json.path("vcpu").asInt()));
    }
}
