// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.ic2.agent.http.StatusJson;
import org.ic2.agent.http.TrendsJson;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.Ink.Hue;
import org.ic2.agent.terminal.TerminalSize;
import org.ic2.agent.terminal.TextRow;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.knob.Knob;

/**
 * Draws an agent and its last minutes as the rows of a terminal; the same of the same always. 80 columns and 24 rows have
 * room for all of it; more show further quantities, higher pictures, a longer time and more actions.
 */
public final class WatchScreen {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    /** Columns of a quantity's name and value, before the picture, and of what it is compared with, after it. */
    private static final int HEAD = 27;
    private static final int NAME = 15;
    private static final int TAIL = 27;
    /** What a picture shows at least. */
    private static final Duration SHOWN = Duration.ofMinutes(4);
    private static final long[] CELL_SECONDS = {1, 2, 5, 10, 15, 30, 60, 120, 300};
    /** Rows of the usual terminal that are for pictures, and those that all else takes at least. */
    private static final int PICTURES = 7;
    private static final int HIGHEST = 6;
    private static final int DIGITS = 10;

    private final Set<Knob> knobs;
    private final Duration interval;
    private final ZoneId zone;
    private final TerminalSize size;
    private final Ink ink;

    /**
     * @param knobs    those that the configuration has
     * @param interval of its samples
     * @param zone     for times of day
     */
    public WatchScreen(Set<Knob> knobs, Duration interval, ZoneId zone, TerminalSize size, Ink ink) {
        this.knobs = knobs;
        this.interval = interval;
        this.zone = zone;
        this.size = size;
        this.ink = ink;
    }

    /** As many rows as the terminal has, or fewer. */
    public List<String> rows(WatchedAgent agent, Trends trends, Instant now) {
        List<String> rows = new ArrayList<>();
        rows.add(title(agent, now));
        for (String line : DisplayText.wrap(
                agent.clauses(now).stream().map(DisplayText::clean).toList(), size.columns(), 2)) {
            rows.add(row().add(line, agent.harmed() ? Hue.BAD : hue(agent.state())).toString());
        }
        rows.add(agent.trouble(now, interval).map(trouble -> row().add(trouble, Hue.BAD).toString()).orElse(""));
        pictures(rows, agent, trends);
        rows.add("");
        setting(rows, "running", agent.status().path("running"));
        setting(rows, "baseline", agent.status().path("baseline"));
        List<String> problems = problems(agent.status());
        int room = Math.max(0, size.rows() - rows.size() - 1);
        problems.subList(0, Math.min(problems.size(), room / 3)).forEach(rows::add);
        actions(rows, agent.status(), size.rows() - rows.size() - 1);
        while (rows.size() < size.rows() - 1) {
            rows.add("");
        }
        rows.add(row().add("q or Ctrl-C: end", Hue.FAINT).toString());
        return rows.subList(0, Math.min(rows.size(), size.rows()));
    }

    private TextRow row() {
        return new TextRow(size.columns(), ink);
    }

    private String title(WatchedAgent agent, Instant now) {
        String time = now.atZone(zone).format(TIME);
        String updated = agent.sampleTime().map(at -> "sample " + WatchedAgent.age(Duration.between(at, now).toSeconds())
                + " old").orElse("no sample");
        String right = updated + "  " + time;
        String left = agent.status().path("application").asText("?") + ", mode " + agent.status().path("mode").asText("?");
        int room = Math.max(0, size.columns() - "ic2  ".length() - right.length() - 1);
        return row().add("ic2  ", Hue.STRONG).add(DisplayText.cut(DisplayText.clean(left), room, ink.ellipsis()), Hue.STRONG)
                .right(right, size.columns()).toString();
    }

    private static Hue hue(String state) {
        return switch (state) {
            case "NI2" -> Hue.GOOD;
            case "NI1", "T", "I1" -> Hue.FAIR;
            case "I2" -> Hue.BAD;
            case AgentStatus.MANUAL -> Hue.PERSON;
            default -> Hue.PLAIN;
        };
    }

    private void pictures(List<String> rows, WatchedAgent agent, Trends trends) {
        int cells = Math.max(0, size.columns() - HEAD - TAIL);
        long cell = cellMillis(cells);
        List<Metric> shown = TrendsJson.SHOWN.stream().filter(metric -> trends.has(metric.column())).toList();
        int room = PICTURES + Math.max(0, size.rows() - TerminalSize.USUAL.rows()) * 2 / 3;
        shown = shown.subList(0, Math.min(shown.size(), room - 1));
        for (int i = 0; i < shown.size(); i++) {
            // the first is the one that users feel
            int high = Math.min(HIGHEST, room / shown.size() + (i < room % shown.size() ? 1 : 0));
            picture(rows, shown.get(i), agent, trends.means(shown.get(i).column(), cells, cell), Math.max(1, high));
        }
        rows.add(states(trends.states(cells, cell)));
        if (trends.has(TrendsJson.LEVEL)) {
            rows.add(levels(trends.means(TrendsJson.LEVEL, cells, cell)));
        }
        rows.add(row().column(HEAD).add(cells == 0 ? "" : "last " + WatchedAgent.age(cells * cell / 1000), Hue.FAINT)
                .column(HEAD + cells - "now".length()).add("now", Hue.FAINT).toString());
    }

    private long cellMillis(int cells) {
        for (long seconds : CELL_SECONDS) {
            if (seconds * 1000 >= interval.toMillis() && cells * seconds >= SHOWN.toSeconds()) {
                return seconds * 1000;
            }
        }
        return CELL_SECONDS[CELL_SECONDS.length - 1] * 1000;
    }

    private void picture(List<String> rows, Metric metric, WatchedAgent agent, double[] means, int high) {
        double now = agent.sample(metric.column());
        double normal = agent.normal(metric.column());
        double target = metric.column().equals(agent.trends().path("target_of").asText()) ? agent.target() : Double.NaN;
        boolean time = metric == Metric.RESPONSE_TIME || metric == Metric.RESPONSE_TIME_P95;
        // a share of the CPU fills its row at 100 %, and a small steal does not look like a large one
        double most = Math.max(metric == Metric.CPU_UTIL ? 1 : metric.unit().equals("0..1") ? 0.2 : 0,
                Math.max(Double.isNaN(target) ? 0 : target, Double.isNaN(normal) ? 0 : normal));
        TrendLine line = new TrendLine(means, time, most, new double[] {target, normal});
        for (int i = 0; i < high; i++) {
            TextRow row = row();
            if (i == 0) {
                row.add(WatchedAgent.name(metric)).right(Double.isNaN(now) ? "none"
                        : WatchedAgent.number(metric, now), HEAD - 1);
            }
            row.column(HEAD);
            line.draw(row, i, high, ink, value -> !time ? Hue.COOL : value > target ? Hue.BAD
                    : value > 2 * normal ? Hue.FAIR : Hue.GOOD);
            if (i == 0 && !Double.isNaN(target)) {
                row.add(" target " + WatchedAgent.number(metric, target), Hue.FAINT);
            }
            if (i == (Double.isNaN(target) ? 0 : Math.min(1, high - 1)) && !Double.isNaN(normal)) {
                row.add(" normal " + WatchedAgent.number(metric, normal), Hue.FAINT);
            }
            rows.add(row.toString());
        }
    }

    /** A letter for each state, which is a colour too where there are some. */
    private String states(String[] states) {
        TextRow row = row().add("state").column(HEAD);
        for (String state : states) {
            row.add(switch (state) {
                case "NI2" -> ink.unicode() ? "\u00b7" : ".";
                case "NI1" -> "n";
                case "T" -> "t";
                case "I1" -> "i";
                case "I2" -> "I";
                case AgentStatus.MANUAL -> "M";
                default -> " ";
            }, hue(state));
        }
        return row.add(" I interference, M a person", Hue.FAINT).toString();
    }

    private String levels(double[] means) {
        TextRow row = row().add(TrendsJson.LEVEL).column(HEAD);
        for (double mean : means) {
            long level = Math.round(mean);
            row.add(Double.isNaN(mean) ? " " : level < DIGITS && level >= 0 ? Long.toString(level) : "+",
                    level == 0 ? Hue.FAINT : Hue.FAIR);
        }
        return row.toString();
    }

    private void setting(List<String> rows, String name, JsonNode values) {
        String text = values.isObject() ? StatusJson.describe(values, knobs) : "unknown";
        rows.add(row().add(name).column(NAME).add(text).toString());
    }

    private List<String> problems(JsonNode status) {
        List<String> problems = new ArrayList<>();
        status.path("problems").properties().forEach(problem -> problems.add(row().add("missing", Hue.FAIR).column(NAME)
                .add(problem.getKey() + ": " + problem.getValue().asText(), Hue.FAIR).toString()));
        return problems;
    }

    /** The latest first, each in one row. */
    private void actions(List<String> rows, JsonNode status, int most) {
        JsonNode decisions = status.path("decisions");
        int left = most;
        for (int i = decisions.size() - 1; i >= 0 && left > 0; i--) {
            JsonNode decision = decisions.path(i);
            String action = decision.path("action").asText();
            rows.add(row().add(time(decision.path("time").asText()), Hue.FAINT).column(NAME - 5).add(action,
                    action.equals("HOLD") ? Hue.PLAIN : Hue.STRONG).add(": " + decision.path("reason").asText()).toString());
            left--;
        }
    }

    private String time(String text) {
        try {
            return Instant.parse(text).atZone(zone).format(TIME);
        } catch (DateTimeParseException e) {
            return text;
        }
    }
}
