// SPDX-License-Identifier: Apache-2.0
// The charts: one axis of time for all, the state behind each, and a text for each that says what it shows.
import { clock, duration, element, isInterference, knob, number, side, term } from "./words.js";

const LEFT = 56, RIGHT = 10, HEIGHT = 116, BAND = 50, TALL = 168;
const s = (key, name, style) => ({ key, name, style });
const CHARTS = [
  { id: "response_time", title: "Response time", unit: "s", log: true, height: TALL, series: [s("response_time", "mean", "a"),
    s("response_time_p95", "95th percentile", "b"), s("response_time_max", "slowest second of a step", "faint"),
    s("target_response_time", "target", "target"), s("response_time_normal", "normal", "normal")] },
  { id: "throughput", title: "Throughput", unit: "/s", series: [s("throughput", "requests", "a"), s("error_rate", "failed", "b")] },
  { id: "signals", title: "Steal and other independent signals", word: "signals", unit: "%", series: [s("steal", "steal", "a"),
    s("steal_of_demand", "of the CPU asked for", "b"), s("run_delay", "run delay", "c"), s("memory_pressure", "memory pressure", "d"),
    s("io_pressure", "I/O pressure", "e"), s("host_memory_pressure", "host's memory pressure", "f"), s("cmr", "cache misses", "g")] },
  { id: "memory_latency", title: "Memory latency", unit: "ns", series: [s("memory_latency", "per load", "a")] },
  { id: "cpi", title: "Cycles per instruction", unit: "", series: [s("cpi", "cycles", "a")] },
  { id: "cpu", title: "CPU", unit: "%", series: [s("cpu_util", "used and steal time", "b"), s("cpu_used", "used", "a")] },
  { id: "load_per_operation", title: "CPU of a request", word: "LPO", unit: "s", series: [s("load_per_operation", "load per operation", "a")] },
  { id: "accept_queue", title: "Accept queue", unit: "", series: [s("accept_queue", "connections that wait", "a")] },
  { id: "cache", title: "Pages from the cache", unit: "/s", series: [s("mix_stored", "answered from the store", "a")] },
  { id: "php", title: "PHP", unit: "", series: [s("php_active", "busy", "a"), s("php_processes", "processes", "c"), s("php_queue", "queue", "b")] },
];
/** A lever has a chart of its own, with its bounds. */
const lever = column => ({ id: "lever-" + column, title: knob(column)[0], unit: knob(column)[1], lever: column, height: 96,
  series: [s(column, "in force", "step"), s(column + " baseline", "baseline", "normal")] });

const NOTHING = { columns: { x: [] }, stretches: [], gaps: new Set() };

/** Colours of the scheme that is in force. */
function palette() {
  const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue("--" + name).trim();
  return Object.fromEntries(["a", "b", "c", "d", "e", "f", "g", "faint", "target", "normal", "ink", "grid", "quiet", "interference", "changing",
    "manual", "unknown", "wash-interference", "wash-changing", "wash-manual"].map(name => [name, of(name)]));
}

export class Charts {
  /** `on.zoom(from, to)` and `on.now()` when a person wants another time, `on.action(entry)` when one wants to know more. */
  constructor(root, on) {
    this.root = root; this.on = on; this.drawn = new Map(); this.data = NOTHING; this.view = { from: 0, to: 1 }; this.actions = [];
    this.colors = palette();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colors = palette(); this.redraw(); });
    this.band = this.plot(document.getElementById("band"), { title: "State" }, BAND);
    new ResizeObserver(() => this.fit()).observe(root);
    this.marks = document.getElementById("marks");
    document.getElementById("legend").append(...["NI2", "T", "I2", "MANUAL"].flatMap(state => [term(state, state, { class: "state " + side(state) }), " "]),
      "Marks: " + Object.entries(MARKS).map(([glyph, words]) => glyph + " " + words).join(", "));
  }

  names() { return [...new Set([...CHARTS.flatMap(chart => chart.series.map(series => series.key)), ...(this.levers || [])])]; }

  /** Draws a time. `config` and `status` say where target, normal and bounds are now. */
  draw(timeline, view, actions, status, config) {
    Object.assign(this, { view, actions, status, config, levers: Object.keys(status.baseline || {}) });
    this.data = timeline.columns(view.from, view.to, this.names());
    const { columns } = this.data, count = columns.x.length;
    for (const column of this.levers) columns[column + " baseline"] = new Array(count).fill(status.baseline[column]);
    now(this.data, "target_response_time", config?.["target-response-time"]);
    now(this.data, "response_time_normal", status.medians?.response_time);
    for (const chart of [...CHARTS, ...this.levers.map(lever)]) this.show(chart);
    document.getElementById("empty").hidden = this.drawn.size > 0;
    this.band.setData([columns.x, columns.x]);
    this.placeMarks();
    this.describe();
  }

  show(chart) {
    const { columns } = this.data, known = chart.series.map(series => columns[series.key]?.some(value => value != null));
    let drawn = this.drawn.get(chart.id);
    if (!drawn && !known[0] && !(known[1] && !chart.lever)) return;
    if (!drawn) this.drawn.set(chart.id, drawn = this.make(chart));
    known.forEach((is, i) => {
      drawn.plot.series[i + 1].show = is;   // not by setSeries, which would forget the scale that the data asks for
      drawn.values[i].parentElement.hidden = !is;
    });
    drawn.plot.setData([columns.x, ...chart.series.map(series => columns[series.key])]);
    if (drawn.plot.cursor.idx == null) this.read(drawn, null);
  }

  make(chart) {
    const values = chart.series.map(() => element("b"));
    const keys = chart.series.map((series, i) => element("span", { class: "key" }, element("i", { class: "line " + series.style }), series.name + " ", values[i]));
    const box = element("div", { class: "plot", role: "img" });
    const figure = element("figure", { id: chart.id }, element("figcaption", {}, term(chart.word, chart.title, { class: "title" }), ...keys), box);
    const order = [...CHARTS.map(c => c.id), ...this.levers.map(column => "lever-" + column)];
    const after = [...this.root.children].find(other => order.indexOf(other.id) > order.indexOf(chart.id));
    this.root.insertBefore(figure, after || null);
    const drawn = { chart, values, box };
    drawn.plot = this.plot(box, chart, chart.height || HEIGHT, drawn);
    return drawn;
  }

  plot(box, chart, height, drawn) {
    const stroke = name => () => this.colors[name] || this.colors.a;
    const axis = { stroke: () => this.colors.ink, grid: { stroke: () => this.colors.grid, width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const series = (chart.series || [{ style: "hidden" }]).map(({ style }) => ({ stroke: stroke(STROKES[style] || style), width: style === "a" || style === "step" ? 1.75 : 1.25,
      dash: DASHES[style], points: { show: false }, spanGaps: false, show: style !== "hidden", paths: style === "step" ? uPlot.paths.stepped({ align: 1 }) : undefined }));
    return new uPlot({
      width: box.clientWidth || 600, height, legend: { show: false }, padding: [6, RIGHT, drawn ? 6 : 0, 0],
      cursor: { sync: { key: "ic2" }, y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, bind: { dblclick: () => () => { this.on.now(); return null; } } },
      scales: { x: { time: true, range: () => [this.view.from, this.view.to] }, y: this.scale(chart) },
      axes: [drawn ? { ...axis, size: 0, values: (u, splits) => splits.map(() => "") } : { ...axis, size: 20, grid: { show: false }, values: (u, splits) => splits.map((t, i) => label(t, splits[i - 1])), space: 62 },
        { ...axis, size: LEFT, show: true, values: (u, splits) => splits.map(v => !drawn || v == null ? "" : number(v, chart.unit)), grid: { ...axis.grid, show: Boolean(drawn) },
          ...(chart.lever ? { splits: () => this.stops(chart.lever) } : chart.log ? { filter: (u, splits) => splits.map(v => /^[125]e/.test(Number(v.toPrecision(3)).toExponential()) ? v : null) } : { space: 34 }) }],
      series: [{}, ...series],
      hooks: {
        drawClear: [u => this.shade(u, !drawn)],
        setCursor: [u => drawn ? this.read(drawn, u.cursor.idx) : this.mark(u.cursor.idx)],
        setSelect: [u => {
          if (u.select.width > 4) {
            const from = u.posToVal(u.select.left, "x"), to = u.posToVal(u.select.left + u.select.width, "x");
            cancelAnimationFrame(this.zooming);
            this.zooming = requestAnimationFrame(() => this.on.zoom(from, to));
          }
          if (u.select.width) u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        }],
      },
    }, [[], ...series.map(() => [])], box);
  }

  /** Where a lever's axis has its figures: at its bounds and its baseline. */
  stops(column) {
    const bounds = this.config?.bounds?.[column] || [], base = this.status?.baseline?.[column];
    return [...new Set([...bounds, base].filter(value => value != null))].sort((a, b) => a - b);
  }

  scale(chart) {
    if (chart.log) return { distr: 3, range: (u, low, high) => high > 0 ? [Math.max(1e-4, low / 1.4), high * 1.6] : [0.001, 1] };
    if (chart.lever) {
      return { range: (u, low, high) => {
        const [least, most] = this.config?.bounds?.[chart.lever] || [low ?? 0, high ?? 1];
        const from = Math.min(least, low ?? least), to = Math.max(most, high ?? most), room = (to - from || 1) * 0.12;
        return [from - room, to + room];
      } };
    }
    return { range: (u, low, high) => [0, Math.max(high || 0, chart.unit === "%" ? 0.05 : chart.unit === "" ? 4 : 0) * 1.1 || 1] };
  }

  /** The state behind the lines; in the band above them in full colour, with its name. */
  shade(u, band) {
    const { ctx, bbox } = u, ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
    if (band) { ctx.fillStyle = this.colors.unknown; ctx.fillRect(bbox.left, bbox.top, bbox.width, bbox.height); }
    for (const { from, to, state } of this.data.stretches) {
      const color = this.colors[(band ? "" : "wash-") + side(state)];
      if (!color) continue;
      const left = u.valToPos(from, "x", true), width = Math.max(ratio, u.valToPos(to, "x", true) - left);
      ctx.fillStyle = color;
      ctx.fillRect(left, bbox.top, width, bbox.height);
      if (band && width > 34 * ratio) {
        ctx.fillStyle = "#fff"; ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`; ctx.textBaseline = "middle";
        ctx.textAlign = "center";
        ctx.fillText(state, (Math.max(left, bbox.left) + Math.min(left + width, bbox.left + bbox.width)) / 2, bbox.top + bbox.height / 2);
      }
    }
    const column = u === this.band ? null : [...this.drawn.values()].find(drawn => drawn.plot === u)?.chart.lever;
    if (column && this.config?.bounds?.[column]) this.bounds(u, this.config.bounds[column]);
    if (!band) for (const action of this.actions) this.line(u, action);
    ctx.restore();
  }

  /** What lies outside a lever's bounds is hatched by a wash. */
  bounds(u, [least, most]) {
    const { ctx, bbox } = u, top = u.valToPos(most, "y", true), bottom = u.valToPos(least, "y", true);
    ctx.fillStyle = this.colors.grid;
    ctx.fillRect(bbox.left, bbox.top, bbox.width, Math.max(0, top - bbox.top));
    ctx.fillRect(bbox.left, bottom, bbox.width, Math.max(0, bbox.top + bbox.height - bottom));
  }

  line(u, action) {
    if (action.time < this.view.from || action.time > this.view.to || action.glyph === "◇") return;
    u.ctx.fillStyle = this.colors.faint;
    u.ctx.fillRect(Math.round(u.valToPos(action.time, "x", true)), u.bbox.top, Math.max(1, devicePixelRatio / 2), u.bbox.height);
  }

  /** A button for each action, and one for several that are too close to each other. */
  placeMarks() {
    const { from, to } = this.view, width = this.marks.clientWidth - LEFT - RIGHT, groups = [];
    for (const action of this.actions) {
      if (action.time < from || action.time > to) continue;
      const x = LEFT + (action.time - from) / (to - from) * width, open = groups.at(-1);
      if (open && x - open.x < 24) open.actions.push(action); else groups.push({ x, actions: [action] });
    }
    const key = JSON.stringify(groups.map(group => [Math.round(group.x), group.actions.map(action => action.key + action.glyph)]));
    if (key === this.marked) return;
    this.marked = key;
    const focused = [...this.marks.children].find(child => child === document.activeElement)?.dataset.key;
    this.marks.replaceChildren(...groups.map(({ x, actions }) => {
      const many = actions.length > 1, last = actions.at(-1);
      const sign = actions.reduce((most, one) => WEIGHT.indexOf(one.kind) >= WEIGHT.indexOf(most.kind) ? one : most);
      const button = element("button", { type: "button", class: "mark " + sign.kind, "data-key": last.key,
        "aria-label": (many ? `${actions.length} actions until ` : "") + clock(last.time) + " " + last.title,
        title: clock(last.time) + " " + last.title + ": " + last.reason }, sign.glyph, many ? element("sup", {}, String(actions.length)) : null);
      button.style.left = x + "px";
      button.addEventListener("click", () => this.on.action(actions));
      return button;
    }));
    if (focused) [...this.marks.children].find(child => child.dataset.key === focused)?.focus();
  }

  /** The values at a place, or the newest ones. */
  read({ chart, values }, index) {
    chart.series.forEach((series, i) => {
      const column = this.data.columns[series.key];
      const text = number(index == null ? column?.findLast(value => value != null) : column?.[index], chart.unit);
      if (values[i].textContent !== text) values[i].textContent = text;
    });
  }

  mark(index) {
    const time = this.data.columns.x[index], of = time == null ? null : this.stretch(time), marker = document.getElementById("marker");
    marker.textContent = time == null ? clock(this.view.from) + " – " + clock(this.view.to) : clock(time) + (of ? " · " + of.state : " · nothing measured");
  }

  stretch(time) { return this.data.stretches.find(stretch => time >= stretch.from && time <= stretch.to); }

  /** Moves the marker by a place on the screen, for the keyboard; returns what it stands on, in words. */
  step(direction) {
    const u = this.band, x = this.data.columns.x;
    if (!x.length) return "nothing measured";
    const width = u.over.clientWidth, at = u.cursor.idx == null || u.cursor.left < 0 ? width : u.cursor.left;
    const left = Math.max(0, Math.min(width, at + direction * Math.max(width / 120, 4)));
    for (const plot of [u, ...[...this.drawn.values()].map(drawn => drawn.plot)]) plot.setCursor({ left, top: 10 }, true, false);
    const i = u.cursor.idx, time = x[i];
    if (time == null) return "nothing measured";
    const rt = this.data.columns.response_time?.[i];
    return `${clock(time)}, ${this.stretch(time)?.state || "nothing measured"}` + (rt == null ? "" : `, response time ${number(rt, "s")}`);
  }

  /** The text of each picture. */
  describe() {
    const span = "from " + clock(this.view.from) + " to " + clock(this.view.to);
    const loud = this.data.stretches.filter(stretch => isInterference(stretch.state)).reduce((sum, one) => sum + one.to - one.from, 0);
    describe(document.getElementById("band"), `State ${span}: ${this.data.stretches.at(-1)?.state ?? "nothing measured"} at the end; `
      + (loud ? `interference for ${duration(loud)}` : "no interference"));
    for (const { chart, box } of this.drawn.values()) {
      const parts = chart.series.map(({ key, name }) => {
        const values = (this.data.columns[key] || []).filter(value => value != null);
        if (!values.length) return null;
        let least = Infinity, most = -Infinity;
        for (const value of values) { if (value < least) least = value; if (value > most) most = value; }
        const at = value => number(value, chart.unit);
        return `${name} ${at(values.at(-1))}` + (least === most ? "" : ` at the end, between ${at(least)} and ${at(most)}`);
      }).filter(Boolean);
      const bounds = chart.lever && this.config?.bounds?.[chart.lever];
      describe(box, `${chart.title} ${span}: ` + (parts.join("; ") || "nothing measured") + (bounds ? `; bounds ${bounds[0]} to ${bounds[1]}` : ""));
    }
  }

  fit() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.band.setSize({ width, height: BAND });
    for (const { chart, plot } of this.drawn.values()) plot.setSize({ width, height: chart.height || HEIGHT });
    this.marked = null;
    this.placeMarks();
  }

  redraw() { [this.band, ...[...this.drawn.values()].map(drawn => drawn.plot)].forEach(plot => plot.redraw(false)); }
}

const MARKS = { "▲": "away from the baseline", "▼": "back to it", "✕": "failed", "◇": "advice", "●": "a person" };
/** Of several actions that are too close, the mark is that of the latest of the last kind here. */
const WEIGHT = ["note", "life", "advice", "back", "away", "person", "failed"];
const STROKES = { step: "a" };
const DASHES = { target: [6, 4], normal: [2, 4] };

/** Target and normal as they are now, where the history does not say what they were. */
function now({ columns, gaps }, name, value) {
  if (value > 0) columns[name] = columns[name].map((was, i) => was ?? (gaps.has(i) ? null : value));
}

function describe(box, text) {
  if (box.getAttribute("role") !== "img") box.setAttribute("role", "img");
  if (box.getAttribute("aria-label") !== text) box.setAttribute("aria-label", text);
}

/** A tick of the axis: the time, and the day where it changes. */
function label(time, before) {
  const date = new Date(time * 1000), text = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: time % 60 ? "2-digit" : undefined });
  const changes = before != null && new Date(before * 1000).toDateString() !== date.toDateString();
  return changes ? date.toLocaleDateString("en-GB", { day: "numeric", month: "short" }) : text;
}
