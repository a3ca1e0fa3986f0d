// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.ic2.host.control.FleetHost;
import org.ic2.host.fleet.FleetJson;
import org.ic2.host.fleet.FleetReport;
import org.ic2.host.model.Migration;
import org.ic2.runtime.cli.DisplayText;

/** Which guests of a fleet should move, for people and for programs. */
final class FleetText {
    private static final double GIB = 1L << 30;

    private FleetText() {
    }

    static String text(FleetReport report) {
        StringBuilder text = new StringBuilder("fleet:\n");
        for (FleetHost host : report.hosts()) {
            text.append("  ").append(line(host.name())).append(host.name().equals(report.own()) ? ", this host" : "").append(": ")
                    .append(host.guests().size()).append(" guests, memory intensity ").append(number(host.intensity(), ""))
                    .append(", free ").append(number(host.memoryFree() / GIB, " GiB")).append(", CPUs ")
                    .append(number(host.guests().stream().mapToDouble(FleetHost.Resident::cpu).sum(), "")).append(" of ").append(number(host.cpus(), " in use"))
                    .append(", at ").append(host.time()).append('\n');
        }
        report.silent().forEach(why -> text.append("  ").append(line(why)).append('\n'));
        for (Migration move : report.moves()) {
            text.append("  ").append(line(move.name())).append(" should move from ").append(line(move.from())).append(" to ")
                    .append(line(move.to())).append("\n    ").append(line(move.why().formula())).append(": ")
                    .append(line(AdviseCommand.numbers(move.why().numbers()))).append('\n');
        }
        report.held().forEach(why -> text.append("  held: ").append(line(why)).append('\n'));
        if (!report.tells()) {
            text.append("  it cannot tell: of fewer than two hosts anything is known\n");
        } else if (report.moves().isEmpty()) {
            text.append("  no guest should move now\n");
        } else {
            text.append("  one look confirms nothing: a running agent waits for a second period, and for guests to rest\n");
        }
        return text.toString();
    }

    static ObjectNode json(FleetReport report) {
        return FleetJson.write(report).put("tells", report.tells()).put("confirmed", false);
    }

    /** Names may hold anything. */
    private static String line(String words) {
        return DisplayText.clean(words);
    }

    private static String number(double value, String unit) {
        return Double.isNaN(value) ? "unknown" : String.format(Locale.ROOT, "%.3g%s", value, unit);
    }
}
