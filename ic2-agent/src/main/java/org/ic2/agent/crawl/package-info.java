// SPDX-License-Identifier: Apache-2.0
/**
 * Two strangers follow a site's own links and compare what they get: evidence of which pages are the same for everybody.
 * Reads only; works for any web server.
 */
package org.ic2.agent.crawl;
