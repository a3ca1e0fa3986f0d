// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.List;

/**
 * What the reports at the end of a run are made of.
 *
 * @param buckets buckets of the response times
 * @param steady  sums per operation over the steady state
 * @param delays  delays per operation in the steady state
 * @param series  all phases over time
 */
record Results(Buckets buckets, List<Totals> steady, List<Delays> delays, TimeSeries series) {
}
