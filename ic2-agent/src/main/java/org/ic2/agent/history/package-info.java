// SPDX-License-Identifier: Apache-2.0
/**
 * What was measured and decided in the last 24 hours, in a file of bounded size beside the journal: steps of 10 s for some
 * hours, of 1 min for the rest. For people who look; nothing is decided on it, and the loop does not wait for it:
 * a thread of its own writes, and who reads holds the file for some steps only.
 */
package org.ic2.agent.history;
