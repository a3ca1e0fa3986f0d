// SPDX-License-Identifier: Apache-2.0
/** The command {@code ic2}: a class a verb, and what they print. It may use every package; none may use it. */
package org.ic2.agent.cli;
