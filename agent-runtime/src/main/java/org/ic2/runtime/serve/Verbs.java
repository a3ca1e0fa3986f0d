// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What people may ask of a running agent: a request is an object with a {@code verb}, the answer has {@code ok} and {@code text}. */
public interface Verbs {

    /** Carries out a request of somebody who may look and not change anything. */
    ObjectNode look(JsonNode request) throws InterruptedException;

    /**
     * Carries out one request.
     *
     * @param by who asks, in words, for the journal
     */
    ObjectNode handle(JsonNode request, String by) throws InterruptedException;
}
