// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.ic2.runtime.json.Json;

/**
 * What a tenant tells of its last interval: an object with {@code v} 1, and any of the others. What is missing or null is NaN.
 *
 * @param time         when it was written by the tenant's clock, s since 1970; tells two messages apart, and makes
 *                     {@code busy_until} independent of that clock
 * @param responseTime mean response time, s
 * @param requests     how many requests were answered
 * @param busyUntil    until when the tenant reconfigures, s since 1970, or when it did last
 * @param shedding     true while it makes its server need less than it does by itself
 */
record TenantMessage(double time, double responseTime, double requests, double busyUntil, boolean shedding) {
    private static final int VERSION = 1;
    private static final double LONGEST_SECONDS = 86_400;
    private static final double MOST_REQUESTS = 1e9;
    private static final double LATEST = 1e11;
    private static final Set<String> MEMBERS = Set.of("v", "time", "response_time", "requests", "busy_until", "shedding");

    /**
     * Reads one, strictly.
     *
     * @throws IOException saying what was expected; nothing of the text is in it, which is not to be trusted
     */
    static TenantMessage parse(String text) throws IOException {
        JsonNode json;
        try {
            json = Json.readStrictly(text);
        } catch (JsonProcessingException e) {
            throw new IOException("expected an object of JSON", e);
        }
        if (!json.isObject() || !json.path("v").isInt() || json.path("v").intValue() != VERSION) {
            throw new IOException("expected an object of JSON with \"v\": " + VERSION);
        }
        for (Map.Entry<String, JsonNode> member : json.properties()) {
            if (!MEMBERS.contains(member.getKey())) {
                throw new IOException("expected no members but v, time, response_time, requests, busy_until and shedding");
            }
        }
        return new TenantMessage(number(json, "time", LATEST), number(json, "response_time", LONGEST_SECONDS),
                number(json, "requests", MOST_REQUESTS), number(json, "busy_until", LATEST), truth(json, "shedding"));
    }

    private static boolean truth(JsonNode json, String name) throws IOException {
        JsonNode value = json.path(name);
        if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
            throw new IOException(name + ": expected true or false");
        }
        return value.booleanValue();
    }

    private static double number(JsonNode json, String name, double most) throws IOException {
        JsonNode value = json.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Double.NaN;
        }
        double number = value.isNumber() ? value.doubleValue() : Double.NaN;
        if (!(number >= 0 && number <= most)) {
            throw new IOException(name + ": expected a number from 0 to " + most);
        }
        return number;
    }
}
