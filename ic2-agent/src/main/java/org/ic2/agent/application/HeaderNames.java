// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.List;

/**
 * The request headers that the proxy in front of httpd adds. A request with a header that no list has passes the store by.
 *
 * @param keyed    each value of these is another page
 * @param varying  these differ for each request (mod_standby: volatile), and are searched for in answers
 */
public record HeaderNames(List<String> keyed, List<String> varying) {

    /** No proxy is known. */
    public static final HeaderNames NONE = new HeaderNames(List.of(), List.of());
}
