// SPDX-License-Identifier: Apache-2.0
/**
 * The workload: seven operations on a calendar of social events, after Olio's driver (paper, section 5). It needs
 * Faban's API and our client, and runs under Faban as well as under the embedded runtime.
 */
package org.ic2.load.olio;
