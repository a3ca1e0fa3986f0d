// SPDX-License-Identifier: Apache-2.0
/**
 * Once an interval: measure, decide, execute, publish. The loop owns the order of these steps, recovery, read-back, what
 * people do by hand, reload and stop. What is measured and how it is decided is the {@link org.ic2.runtime.loop.Turn}'s. It knows nothing of HTTP or the command line.
 */
package org.ic2.runtime.loop;
