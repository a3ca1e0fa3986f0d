// SPDX-License-Identifier: Apache-2.0
/** A person's terminal: its size and keys, its colours, and texts of others that are safe and short enough for it. */
package org.ic2.agent.terminal;
