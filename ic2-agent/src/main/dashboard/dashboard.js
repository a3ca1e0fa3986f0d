// SPDX-License-Identifier: Apache-2.0
// The page asks every second for what is new since it asked last: a whole journal is read once, when the page opens.
"use strict";
const SPAN = 600, EVENTS_SHOWN = 30;
// what is measured; the knobs follow, as many as the agent has
const MEASURED = [
  ["response_time", "response time", " s"], ["throughput", "throughput", " /s"], ["cpu_util", "CPU", ""],
  ["steal", "steal", ""], ["load_per_operation", "load per operation", " s"], ["accept_queue", "accept queue", ""],
];
let samples = [], events = [];
const states = new Map(), charts = new Map();
const element = (tag, text) => { const e = document.createElement(tag); e.textContent = text; return e; };
const format = (value, unit) => value == null ? "–" : (Math.abs(value) >= 100 ? value.toFixed(0) : +value.toPrecision(3)) + unit;
const last = list => list[list.length - 1];
const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);

/** Marks the seconds of interference behind the line. */
function shade(plot) {
  const width = Math.max(1, plot.bbox.width / SPAN);
  plot.ctx.fillStyle = color("--i");
  for (const s of samples) {
    if (states.get(s.time) === "I2") plot.ctx.fillRect(plot.valToPos(s.time, "x", true), plot.bbox.top, width, plot.bbox.height);
  }
}

function chart(key, title, unit, stepped) {
  const figure = document.createElement("figure"), caption = element("figcaption", title), box = element("div", "");
  const value = element("b", "");
  figure.id = key; box.className = "plot"; box.setAttribute("aria-label", title);
  caption.append(value); figure.append(caption, box);
  document.getElementById("charts").append(figure);
  const text = getComputedStyle(document.body).color, axis = { stroke: text, grid: { stroke: "#8883" }, ticks: { show: false }, font: "11px system-ui" };
  const size = () => ({ width: box.clientWidth, height: box.clientHeight });
  const plot = new uPlot({
    ...size(), legend: { show: false }, cursor: { sync: { key: "time" }, y: false, drag: { setScale: false } },
    scales: { x: { range: (u, from, to) => [to - SPAN, to] }, y: { range: (u, from, to) => [0, (to || 1) * 1.1] } },
    axes: [{ ...axis, size: 22 }, { ...axis, size: 48 }],
    series: [{}, { stroke: color("--a"), width: 1.5, points: { show: false }, paths: stepped ? uPlot.paths.stepped({ align: 1 }) : undefined }],
    hooks: {
      drawClear: [shade],
      setCursor: [u => { value.textContent = format(u.data[1][u.cursor.idx ?? u.data[1].length - 1], unit); }],
    },
  }, [[], []], box);
  new ResizeObserver(() => plot.setSize(size())).observe(box);
  charts.set(key, { plot, value, unit });
}

function draw(status) {
  if (!charts.size) MEASURED.forEach(([key, title, unit]) => chart(key, title, unit, false));
  for (const knob of Object.keys(status.baseline)) if (!charts.has(knob)) chart(knob, knob, "", true);
  const times = samples.map(s => s.time);
  for (const [key, { plot, value, unit }] of charts) {
    plot.setData([times, samples.map(s => s[key] ?? null)]);
    if (plot.cursor.idx == null && samples.length) value.textContent = format(last(samples)[key], unit);
  }
}

function head(status) {
  document.getElementById("application").textContent = status.application;
  const line = document.getElementById("head"), state = element("span", status.state);
  state.className = "state " + status.state;
  const running = Object.entries(status.running || status.baseline).map(([knob, value]) => knob + " " + value).join(" · ");
  line.replaceChildren(state, element("span", "mode " + status.mode), element("span", running),
    element("span", `${status.actions_in_last_hour ?? 0} actions in the last hour`));
  if (status.manual) line.append(element("span", "manual: " + status.manual + " (ic2 resume)"));
  const problems = Object.entries(status.problems || {}).map(([label, text]) => element("div", label + ": " + text));
  problems.forEach(p => { p.className = "problem"; });
  document.getElementById("problems").replaceChildren(...(problems.length ? problems : ["nothing"]));
}

function journal() {
  document.getElementById("events").replaceChildren(...events.slice().reverse().map(event => {
    const row = document.createElement("tr");
    row.append(element("td", new Date(event.time).toLocaleTimeString()),
      element("td", [event.kind, event.action, event.id].filter(Boolean).join(" ")),
      element("td", [event.reason, event.problem, event.left_out && "left out: " + event.left_out].filter(Boolean).join(" — ")));
    return row;
  }));
}

async function get(path) { const answer = await fetch(path); if (!answer.ok) throw new Error(answer.status); return answer.json(); }
async function since(path, list) {
  return get(path + (list.length ? "?since=" + encodeURIComponent(last(list).time) : ""));
}

let newest = [];   // of the journal, also what is not shown
async function turn() {
  let wait = 1000;
  try {
    const [status, fresh, entries] = await Promise.all([get("api/status"), since("api/samples", samples), since("api/events", newest)]);
    wait = Math.max(wait, status.interval * 1000);
    // a clock that was set back: what is shown lies in its future
    if (status.sample && samples.length && status.sample.time < last(samples).time) { samples = []; events = []; newest = []; states.clear(); }
    samples = samples.concat(fresh.filter(s => !samples.length || s.time > last(samples).time));
    samples = samples.filter(s => s.time <= last(samples).time).slice(-SPAN);
    if (status.sample) states.set(status.sample.time, status.context);
    while (states.size > SPAN) states.delete(states.keys().next().value);
    head(status); draw(status);
    if (entries.length) {
      newest = entries.slice(-1);
      events = events.concat(entries.filter(e => e.kind !== "intent")).slice(-EVENTS_SHOWN);
      journal();
    }
  } catch (error) { document.getElementById("head").textContent = "no answer from the agent (" + error.message + ")"; }
  setTimeout(next, wait);
}
// A page that nobody sees costs the agent nothing; what it missed comes when it is looked at again.
function next() {
  if (document.hidden) document.addEventListener("visibilitychange", next, { once: true }); else turn();
}
next();
