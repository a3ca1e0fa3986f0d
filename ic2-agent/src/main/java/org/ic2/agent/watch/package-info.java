// SPDX-License-Identifier: Apache-2.0
/** What {@code ic2 watch} shows: the running agent with its last minutes, as rows of a terminal. */
package org.ic2.agent.watch;
