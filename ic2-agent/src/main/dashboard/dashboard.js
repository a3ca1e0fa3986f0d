// SPDX-License-Identifier: Apache-2.0
// The page: what the agent sees, what it did and why. It listens to one stream; what was before is fetched once.
import { Journal, showActions, showList, table } from "./actions.js";
import { Changes } from "./changes.js";
import { Charts } from "./charts.js";
import { Timeline } from "./data.js";
import { Refusal, Stream, entries, get } from "./source.js";
import { clock, duration, element, knob, number, sentence, side, term } from "./words.js";

const FINE = 6 * 3600, DAY = 24 * 3600, REFRESH = 60, SHOWN = 15;
const byId = id => document.getElementById(id);
const timeline = new Timeline(), journal = new Journal();
let status = { state: "starting" }, config = null, extras = {}, lost = null;
let span = 600, fixed = null, shown = SHOWN;   // what is looked at: the last `span` seconds, or a fixed time
let received = null, aged = 0, connected = 0;  // by the page's own clock, which goes on when the agent does not
let dirty = true, drawn = 0, refreshed = 0;

const charts = new Charts(byId("charts"), { zoom: (from, to) => look({ from, to }), now: () => look(null),
  action: actions => showActions(actions, config, byId("decision")) });
const changes = new Changes(said => { byId("said").textContent = said; setTimeout(() => { byId("said").textContent = ""; }, 20000); stream.again(); });

/** Seconds since the newest sample, as far as the page can know. */
const age = () => received == null ? Infinity : (performance.now() - received) / 1000 + aged;
const now = () => received == null ? Date.now() / 1000 : receive.newest + age();
const view = () => fixed || { from: now() - span, to: now() };

function look(time) {
  if (time && time.to - time.from < 5) { const middle = (time.from + time.to) / 2; time = { from: middle - 2.5, to: middle + 2.5 }; }
  fixed = time && time.to < now() + 1 || time && time.to - time.from < span ? time : null;
  byId("to-now").hidden = !fixed;
  for (const button of byId("ranges").children) button.setAttribute("aria-pressed", String(!fixed && Number(button.dataset.span) === span));
  draw();
  reachQuietly();
}

function move(how) {
  const { from, to } = view(), width = to - from, middle = (from + to) / 2;
  if (how === "now") look(null);
  else if (how === "in") look({ from: middle - width / 4, to: middle + width / 4 });
  else if (how === "out") { if (width * 2 > DAY) { span = DAY; look(null); } else look({ from: middle - width, to: Math.min(now(), middle + width) }); }
  else { const by = how === "earlier" ? -width / 4 : width / 4; look(to + by >= now() ? null : { from: from + by, to: to + by }); }
}

/** Fetches the history that the time shown needs, once. */
async function reach(signal) {
  const wanted = Math.floor(view().from), last = timeline.lastStep ?? Math.floor(now() - 600), asked = [];
  const fine = now() - FINE;
  if (wanted < timeline.reach) {
    if (timeline.reach > fine) asked.push(Math.max(wanted, Math.ceil(fine)));
    if (wanted < fine) asked.push(Math.floor(now() - DAY));
    const before = timeline.reach;
    timeline.reach = Math.min(...asked);
    try {
      for (const since of asked) timeline.addHistory(await get("api/history?since=" + since, signal), since);
    } catch (error) { timeline.reach = before; throw error; }
  } else if (now() - refreshed > REFRESH) {
    refreshed = now();
    timeline.addHistory(await get("api/history?since=" + last, signal), last);
    timeline.trim();
  }
  for (let pages = 0; pages < 4 && journal.earlier && journal.oldest > wanted; pages++) {
    await page(journal.earlier.replace(/limit=\d+/, "limit=500"), signal);
    events();
  }
}

/** Fetches entries of the journal and remembers where those before them are. */
async function page(path, signal) {
  const fresh = await entries(path, signal);
  journal.add(fresh.entries);
  journal.earlier = fresh.earlier;
}
const reachQuietly = () => reach().then(draw, () => { /* the stream says what is wrong */ });

function draw() {
  performance.clearMeasures("draw");
  const begun = performance.now();
  charts.draw(timeline, view(), journal.marks(), status, config);
  queueMicrotask(() => performance.measure("draw", { start: begun, end: performance.now() }));   // after uPlot's own
  drawn = performance.now(); dirty = false;
  charts.mark(charts.band.cursor.idx);
}

function head() {
  const old = age(), stale = old > 3 * (status.interval || 1), updated = byId("updated");
  updated.textContent = received == null ? lost ? "no answer: " + lost : "not connected yet" : "updated " + duration(old) + " ago";
  updated.classList.toggle("stale", stale && (received != null || lost != null));
  document.body.classList.toggle("old", stale && received != null);
  const problem = stale && received != null ? "No sample for more than " + duration(3 * (status.interval || 1)) + ": what is shown is old. "
    + (lost ? "The agent does not answer (" + lost + ")." : "The agent is silent.") : "";
  if (head.problem !== problem) byId("alert").textContent = head.problem = problem;
  if (received == null) { if (config) text("sentence", sentence(status, null, config) + "."); return; }
  if (head.at !== timeline.newest) { head.at = timeline.newest; head.since = timeline.since(side); }
  const since = head.since;
  text("sentence", sentence(status, timeline.newest, config, since && { ...since, seconds: since.seconds + old }) + ".");
  document.title = (stale ? "old · " : "") + [status.state, status.application, "IC²"].filter(Boolean).join(" · ");
}

function text(id, words) { if (byId(id).textContent !== words) byId(id).textContent = words; }

/** Replaces what an element shows, if it is something else, so that what has the focus keeps it. */
function fill(id, ...children) {
  const fresh = element("div", {}, ...children), old = byId(id);
  if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

function facts() {
  text("application", status.application || "");
  fill("mode", "mode ", term(status.mode));
  fill("state", term(status.state, status.state, { class: "state " + side(status.state) }));
  text("reason", status.manual ? "By hand: " + status.manual : status.last_decision?.reason || "");
  changes.show(status);
  const running = status.running || {}, bounds = config?.bounds || {};
  fill("running",
    table(Object.entries(status.baseline || {}).map(([column, base]) => [term(column === "mitigation" ? "level" : column, knob(column)[0]),
      element("b", { class: running[column] != null && running[column] !== base ? "moved" : null }, number(running[column], knob(column)[1])), number(base), bounds[column] ? bounds[column].map(v => number(v)).join(" – ") : "–"]),
    ["", "now", "baseline", "bounds"]),
    status.ladder_empty ? element("p", { id: "ladder-empty", class: "problem" }, status.ladder_problem) : "",
    element("p", {}, term("budget", "Budget"), `: ${status.actions_in_last_hour ?? 0} of ${config?.safety?.["actions-per-hour"] ?? "?"} actions in the last hour`
      + (status.budget?.by_hand ? `; the baseline was left by hand ${status.budget.by_hand === 1 ? "once" : status.budget.by_hand + " times"}` : "")
      + (!status.budget?.held_back ? "" : "; held back" + (status.budget.until ? ` until ${new Date(status.budget.until * 1000).toTimeString().slice(0, 5)} at least` : ""))),
    ...(status.reliefs || []).map(relief => element("p", { class: "help" }, `level ${relief.level} leaves ${number(relief.relief, "%")} of a request's CPU (${relief.sets})`)));
  const problems = Object.entries(status.problems || {});
  fill("problems", ...(problems.length ? problems.map(([label, why]) => element("p", { class: "problem" }, label + ": " + why)) : ["nothing"]));
  members();
  text("version", "IC² " + (status.version || "") + (status.application ? " for " + status.application : ""));
}

function members() {
  const samples = [status.sample, ...(status.members || [])].filter(Boolean);
  fill("members", ...Object.entries(config?.members || {}).map(([name, member]) => {
    const sample = samples.find(one => one.member === name) || {};
    const figures = [["CPU", sample.cpu_util, "%"], ["steal", sample.steal, "%"], ["run delay", sample.run_delay, "%"], ["requests", sample.throughput, "/s"]]
      .filter(([, value]) => value != null).map(([what, value, unit]) => what + " " + number(value, unit)).join(", ");
    return element("p", { class: "member" }, element("strong", {}, name), " " + member.role + (figures ? ": " + figures : ""),
      element("span", { class: "help" }, "sensors " + (member.sensors.join(", ") || "none") + (member.actuators.length ? "; actuators " + member.actuators.join(", ") : "")));
  }));
}

function configuration() {
  const shown = Object.entries(config || {}).filter(([key]) => !["members", "baseline", "bounds", "rules"].includes(key));
  fill("config", element("details", {}, element("summary", {}, "in force, defaults included"),
    table(shown.flatMap(([key, value]) => value && typeof value === "object" && !Array.isArray(value)
      ? Object.entries(value).map(([inner, of]) => [key + ": " + inner, plain(of)]) : [[key, plain(value)]]))));
}
const plain = value => Array.isArray(value) ? value.map(plain).join(", ") || "none" : value && typeof value === "object" ? JSON.stringify(value) : String(value);

function events() {
  showList(journal, byId("events"), shown, actions => showActions(actions, config, byId("decision")));
  byId("no-events").hidden = journal.list.length > 0;
  byId("more-events").hidden = journal.list.length <= shown && !journal.earlier;
  byId("older-events").hidden = journal.list.length > shown || !journal.cut;
}

async function earlier() {
  shown += SHOWN;
  if (journal.list.length < shown && journal.earlier) {
    await page(journal.earlier);
  }
  events(); draw();
}

const on = {
  /** Before each stream: what it does not bring. */
  async connected(signal) {
    const first = !config;
    config = await get("api/config", signal);
    status = await get("api/status", signal);
    timeline.interval = status.interval || 1;
    if (first) { await page("api/events?limit=100", signal); events(); }
    if (status.sample) receive(status.sample, true);
    await reach(signal);
    facts(); configuration(); draw();
    connected = performance.now(); lost = null;
    byId("sign-in").hidden = true;
  },
  status(fresh) {
    status = fresh;
    extras = {};
    for (const [name, value] of Object.entries(fresh.extras || {})) extras[name.slice(name.lastIndexOf(".") + 1)] = value;
    facts();
  },
  sample(sample) {
    const back = timeline.add(sample, { php_active: extras.php_active, php_processes: extras.php_processes, php_queue: extras.php_queue });
    if (back) receive.newest = -Infinity;
    receive(sample, performance.now() - connected < 300);
    if (sample.state) status.state = sample.state;
    dirty = true;
    if (back) reachQuietly();
  },
  entry(entry) {
    if (journal.add([entry])) { events(); dirty = true; drawn = -Infinity; }
    if (entry.kind === "start") get("api/config").then(fresh => { config = fresh; configuration(); facts(); }, () => {});
  },
  lost(why) {
    lost = why.message || why;
    if (why instanceof Refusal && why.status === 401) {
      stream.rest();   // until a person has another token: each attempt would fail, and ask again
      byId("sign-in").hidden = false;
      askToken();
    }
  },
};

/** A sample of before the page looked is as old as the clocks say; of one that comes live the page saw when it came. */
function receive(sample, backlog) {
  if (sample.time <= receive.newest) return;
  receive.newest = sample.time;
  received = performance.now();
  aged = backlog ? Math.max(0, Date.now() / 1000 - sample.time) : 0;
}

const stream = new Stream(() => timeline.newest?.time ?? now() - 600, on);

const askToken = () => changes.askToken(() => stream.again());
byId("sign-in-do").addEventListener("click", askToken);
for (const button of byId("ranges").children) button.addEventListener("click", () => { span = Number(button.dataset.span); look(null); });
for (const button of byId("zoom").children) button.addEventListener("click", () => move(button.dataset.move));
byId("more-events").addEventListener("click", () => earlier().catch(() => {}));
byId("charts").addEventListener("keydown", event => {
  const walk = { ArrowLeft: -1, ArrowRight: 1 }[event.key], zoom = { "+": "in", "=": "in", "-": "out", Home: "now", Escape: "now" }[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey || !walk && !zoom) return;
  event.preventDefault();
  if (zoom) move(zoom);
  else if (event.shiftKey) move(walk < 0 ? "earlier" : "later");
  else byId("spoken").textContent = charts.step(walk);
});

setInterval(() => {
  if (document.hidden) return;
  head();
  const every = fixed ? 1000 : Math.min(10000, Math.max(900, span / 1.2));
  if (dirty && performance.now() - drawn >= every || !fixed && performance.now() - drawn > 10000) draw();
  if (received != null && age() < 30 && now() - refreshed > REFRESH) reachQuietly();
}, 250);
