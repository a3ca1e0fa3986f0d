// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One runtime-statistics line of a Faban driver, its operations combined.
 *
 * @param elapsed      seconds since the start of the ramp-up
 * @param driver       the driver's name
 * @param throughput   successful operations per second since the previous line; NaN when the line has none
 * @param errorRate    failed operations per second; NaN when the line has none
 * @param responseTime mean response time of the successful operations, weighted by their throughput, in the driver's
 *                     unit; NaN when none succeeded
 */
record FabanLine(double elapsed, String driver, double throughput, double errorRate, double responseTime) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9}\\.\\d\\d)s - (\\S+): (\\S+) CThru=(\\S+) OThru=\\S+"
            + " CErr=(\\S+) CResp=(\\S+) OResp=\\S+ CSD=\\S+ OSD=\\S+ C90%Resp=\\S+ O90%Resp=[^\\s<]+");

    /** Finds the statistics in a line of driver.log, of log.xml or of a console; empty for any other line. */
    static Optional<FabanLine> parse(String line) {
        // Most lines are others: look before the expensive match.
        if (!line.contains(" CThru=")) {
            return Optional.empty();
        }
        Matcher form = FORM.matcher(line);
        if (!form.find()) {
            return Optional.empty();
        }
        try {
            String[] names = form.group(3).split("/");
            return combine(Double.parseDouble(form.group(1)), form.group(2), column(form.group(4), names.length),
                    column(form.group(5), names.length), column(form.group(6), names.length));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<FabanLine> combine(double elapsed, String driver, double[] rates, double[] errors,
            double[] means) {
        if (rates == null || errors == null || means == null) {
            return Optional.empty();
        }
        double throughput = 0;
        double weighted = 0;
        double weight = 0;
        double errorRate = 0;
        boolean any = false;
        for (int i = 0; i < rates.length; i++) {
            if (Double.isNaN(rates[i])) {
                continue;
            }
            any = true;
            throughput += rates[i];
            errorRate += Double.isNaN(errors[i]) ? 0 : errors[i];
            if (!Double.isNaN(means[i]) && rates[i] > 0) {
                weighted += rates[i] * means[i];
                weight += rates[i];
            }
        }
        return Optional.of(any
                ? new FabanLine(elapsed, driver, throughput, errorRate, weight > 0 ? weighted / weight : Double.NaN)
                : new FabanLine(elapsed, driver, Double.NaN, Double.NaN, Double.NaN));
    }

    /** The values of one column, NaN for "-"; null when their number is not that of the operations. */
    private static double[] column(String text, int operations) {
        String[] parts = text.split("/");
        if (parts.length != operations) {
            return null;
        }
        double[] values = new double[operations];
        for (int i = 0; i < operations; i++) {
            values[i] = parts[i].equals("-") ? Double.NaN : Double.parseDouble(parts[i]);
            if (values[i] < 0 || Double.isInfinite(values[i])) {
                throw new NumberFormatException(parts[i]);
            }
        }
        return values;
    }
}
