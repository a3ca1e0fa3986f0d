// SPDX-License-Identifier: Apache-2.0
/**
 * The workload of a WordPress: visitors, members, commenters, searches, feeds, crawlers. Every page is checked for whose it
 * is and how old. It needs Faban's API and our client, and runs under Faban as well as under the embedded runtime.
 */
package org.ic2.load.wordpress;
