// SPDX-License-Identifier: Apache-2.0
/**
 * The embedded runtime: runs an annotated driver class in a closed loop and writes Faban's formats. It is not Faban and
 * says so; it reads the same annotations and the same run.xml, and one parser can read the output of both.
 *
 * <p>The way of a number: {@link org.ic2.load.runtime.User} (one thread per user) measures,
 * {@link org.ic2.load.runtime.StatsRecorder} adds up, {@link org.ic2.load.runtime.LoadRun} cuts intervals, the writers print.
 */
package org.ic2.load.runtime;
