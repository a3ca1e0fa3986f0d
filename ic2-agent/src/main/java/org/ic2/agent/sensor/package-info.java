// SPDX-License-Identifier: Apache-2.0
/**
 * What measures: one class for each source of figures, each behind a deadline, so that what is late or broken is missing
 * and never 0. It depends on hosts and on the names of the metrics alone.
 */
package org.ic2.agent.sensor;
