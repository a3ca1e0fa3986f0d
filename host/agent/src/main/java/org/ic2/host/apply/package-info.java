// SPDX-License-Identifier: Apache-2.0
/**
 * The only way to a host's knobs: who owns them, how far and how fast they may move, what they were before, and the way back.
 * What a change passes besides (journal, read-back, roll-back, budget) is the runtime's executor's.
 */
package org.ic2.host.apply;
