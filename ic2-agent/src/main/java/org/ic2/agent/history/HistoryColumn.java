// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Vocabulary;

/**
 * A column of the history.
 *
 * @param name  the quantity's column, or a name of the history's own
 * @param merge what it makes of several values
 * @param of    the value in a turn, NaN where it is missing
 */
record HistoryColumn(String name, Merge merge, ToDoubleFunction<HistoryMoment> of) {

    /** What the value of a step is. */
    enum Merge {
        /** The mean of those that there are. */
        MEAN,
        /** The mean over requests. */
        MEAN_OF_REQUESTS,
        SUM,
        GREATEST,
        /** What was in force at the end. */
        LAST
    }

    private static final List<Metric> MEANS = List.of(Metric.THROUGHPUT, Metric.ERROR_RATE, Metric.CPU_UTIL, Metric.CPU_USED,
            Metric.STEAL, Metric.STEAL_OF_DEMAND, Metric.RUN_DELAY, Metric.CMR, Metric.CPI, Metric.MEMORY_LATENCY,
            Metric.MEMORY_PRESSURE, Metric.HOST_MEMORY_PRESSURE, Metric.IO_PRESSURE, Metric.PAGE_FAULTS,
            Metric.LOAD_PER_OPERATION, Metric.COST_PER_MIX, Metric.ACCEPT_QUEUE, Metric.ACCEPT_QUEUE_WAIT,
            Metric.CONNECTED_USERS, Metric.BUSY_WORKERS, Metric.IDLE_WORKERS, Metric.MIX_STORED);
    /** Of the sensor php-fpm. */
    private static final List<String> EXTRAS = List.of("php_active", "php_processes", "php_queue");

    /** By this the mean response times of turns and steps are weighed. */
    static final String REQUESTS = Metric.REQUESTS.column();

    /** The columns where files may name this: those of every agent, and one for each knob. */
    static List<HistoryColumn> all(Vocabulary vocabulary) {
        List<HistoryColumn> columns = new ArrayList<>();
        columns.add(new HistoryColumn(REQUESTS, Merge.SUM, sampled(Metric.REQUESTS)));
        columns.add(new HistoryColumn(Metric.RESPONSE_TIME.column(), Merge.MEAN_OF_REQUESTS, sampled(Metric.RESPONSE_TIME)));
        columns.add(new HistoryColumn("response_time_max", Merge.GREATEST, sampled(Metric.RESPONSE_TIME)));
        columns.add(new HistoryColumn(Metric.RESPONSE_TIME_P95.column(), Merge.GREATEST, sampled(Metric.RESPONSE_TIME_P95)));
        columns.add(new HistoryColumn("response_time_normal", Merge.LAST, moment -> moment.medians().get(Metric.RESPONSE_TIME)));
        columns.add(new HistoryColumn("target_response_time", Merge.LAST, HistoryMoment::target));
        MEANS.forEach(metric -> columns.add(new HistoryColumn(metric.column(), Merge.MEAN, sampled(metric))));
        EXTRAS.forEach(name -> columns.add(new HistoryColumn(name, Merge.MEAN, moment -> extra(moment.extras(), "." + name))));
        vocabulary.knobs().forEach(knob -> columns.add(new HistoryColumn(knob.column(), Merge.LAST, sampled(knob.quantity()))));
        return List.copyOf(columns);
    }

    private static ToDoubleFunction<HistoryMoment> sampled(Quantity quantity) {
        return moment -> moment.sample().get(quantity);
    }

    private static double extra(Map<String, Double> extras, String end) {
        for (Map.Entry<String, Double> extra : extras.entrySet()) {
            if (extra.getKey().endsWith(end)) {
                return extra.getValue();
            }
        }
        return Double.NaN;
    }
}
