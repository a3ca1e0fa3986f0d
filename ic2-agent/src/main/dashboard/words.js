// SPDX-License-Identifier: Apache-2.0
// Words and numbers for people. What comes from outside becomes text, never markup.

/** An element with text or children; `attributes` may have class, id, role, aria-*. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) made.setAttribute(name, value);
  made.append(...children.filter(child => child != null && child !== ""));
  return made;
}

const TERMS = {
  NI1: "No interference, first sample of it. A second one in a row makes it NI2.",
  NI2: "No interference, confirmed: the agent learns here what is normal, and restores the baseline.",
  T: "Transient: something changes, and the samples do not agree on what. Nothing follows from it.",
  I1: "Interference, first sample of it: perhaps a neighbour takes CPU or caches. A second one in a row makes it I2.",
  I2: "Interference, confirmed: a neighbour takes CPU or caches from this machine. The agent mitigates if the response time is above the target.",
  MANUAL: "Manual mode: a person changed a value. The agent measures and changes nothing until it is resumed.",
  starting: "The agent has started and has not measured yet.",
  level: "A step of the mitigation ladder: 0 is the baseline, each higher one saves more of the CPU that a request takes and costs users a little more. What each does is in httpd's configuration.",
  baseline: "The values that are best without interference. The agent always comes back to them.",
  target: "Below this response time nothing is done, whatever the neighbour takes.",
  normal: "The median without interference, learned by the agent in state NI2.",
  steal: "Share of the time in which this machine was ready to run and the host let others run.",
  signals: "Figures that show a neighbour and that no mitigation can make look better: steal, run delay, memory latency and the like.",
  budget: "How many actions the agent may take in an hour. The way back to the baseline is never held up by it. What people do by hand is counted apart.",
  observe: "Mode observe: it only measures.",
  advise: "Mode advise: it says what it would do, and does nothing.",
  act: "Mode act: it does what it decides.",
  lever: "A setting of the running server that the agent may move within its bounds.",
  LPO: "Load per operation: the CPU that a request takes, as a share of the machine's CPU.",
};

/** A word that explains itself when it is pressed. */
export function term(word, text = word, attributes = {}) {
  if (!TERMS[word]) return element("span", attributes, text);
  const button = element("button", { type: "button", ...attributes, class: "term " + (attributes.class || ""), "aria-haspopup": "dialog",
    title: TERMS[word] }, text);
  button.addEventListener("click", () => {
    const note = document.getElementById("term");
    note.replaceChildren(element("strong", {}, text), ": " + TERMS[word]);
    if (!note.matches(":popover-open")) note.showPopover();
    const at = button.getBoundingClientRect(), size = note.getBoundingClientRect();
    note.style.left = Math.max(8, Math.min(at.left, innerWidth - size.width - 8)) + "px";
    note.style.top = (at.bottom + size.height + 12 > innerHeight ? Math.max(8, at.top - size.height - 6) : at.bottom + 6) + "px";
  });
  return button;
}

/** Three digits and a unit; shares (unit "%") come as 0..1. */
export function number(value, unit = "") {
  if (value == null || Number.isNaN(value)) return "–";
  if (unit === "%") return (value * 100 >= 10 || value === 0 ? (value * 100).toFixed(0) : +(value * 100).toPrecision(2)) + " %";
  if (unit === "s" && value !== 0 && Math.abs(value) < 0.01) return +(value * 1000).toPrecision(2) + " ms";
  if (unit === "s" && Math.abs(value) < 0.1) return +value.toPrecision(2) + " s";
  const text = Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(+value.toPrecision(3));
  return text + (unit ? " " + unit : "");
}

/** 75 is "1 min 15 s", 7300 "2 h 1 min". */
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min" + (s % 60 ? " " + s % 60 + " s" : "");
  if (s < 86400) return Math.floor(s / 3600) + " h" + (Math.floor(s % 3600 / 60) ? " " + Math.floor(s % 3600 / 60) + " min" : "");
  return Math.floor(s / 86400) + " d" + (Math.floor(s % 86400 / 3600) ? " " + Math.floor(s % 86400 / 3600) + " h" : "");
}

/** A time of day, with the date where it is not of today. */
export function clock(seconds, long = false) {
  const date = new Date(seconds * 1000);
  const time = date.toLocaleTimeString("en-GB");
  return date.toDateString() === new Date().toDateString() && !long ? time
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: long ? "numeric" : undefined }) + " " + time;
}

export const isInterference = state => state === "I1" || state === "I2";
const SIDES = { NI1: "quiet", NI2: "quiet", I1: "interference", I2: "interference", T: "changing", MANUAL: "manual" };
/** What the state means in one word. */
export const side = state => SIDES[state] || "unknown";

/** The highest mitigation level that the configuration allows. */
export const highestLevel = config => config?.bounds?.mitigation?.[1] ?? config?.ladder?.length ?? 0;

/** What is going on, in one sentence. `since`: how long it has been so, and whether it may have begun earlier. */
export function sentence(status, sample, config, since) {
  const state = status.state, long = since ? " for " + (since.open ? "at least " : "") + duration(since.seconds) : "";
  const level = sample?.level ?? status.running?.mitigation ?? 0, highest = highestLevel(config);
  const parts = [];
  if (state === "starting" || !sample) return "The agent has started and has not measured yet";
  if (status.harm && status.harm.cause !== "neighbour") parts.push("Users are harmed: " + status.harm.felt + ", cause: " + status.harm.cause
    + (status.harm.cause === "unknown" ? "" : " (confidence " + status.harm.confidence + ")"));
  if (isInterference(state)) parts.push("Interference" + long);
  else if (state === "MANUAL") parts.push("Manual mode" + (status.until ? " until " + clock(status.until) : long));
  else if (state === "T") parts.push("Something is changing" + long);
  else parts.push("No interference" + long);
  if (level > 0 || isInterference(state)) parts.push(highest ? `level ${level} of ${highest}` : level > 0 ? `level ${level}` : status.ladder_empty ? "the ladder is empty" : "no ladder");
  else if (sameAsBaseline(status)) parts.push("the baseline is in force");
  const target = config?.["target-response-time"], normal = status.medians?.response_time;
  parts.push(sample.response_time == null ? "no requests to time" : "response time " + number(sample.response_time, "s")
    + (target > 0 ? ", target " + number(target, "s") : "") + (normal != null ? ", normal " + number(normal, "s") : ""));
  if (sample.steal != null) parts.push("steal " + number(sample.steal, "%"));
  return parts.join("; ");
}

const sameAsBaseline = status => status.running && Object.entries(status.baseline || {}).every(([knob, value]) => status.running[knob] === value);

const KNOBS = { mxc: ["MaxRequestWorkers", ""], kat: ["KeepAliveTimeout", "s"], php: ["pm.max_children", ""], mitigation: ["Mitigation level", ""] };
/** Name and unit of a lever, by its column. */
export const knob = column => KNOBS[column] || [column.replaceAll("_", " "), ""];
/** A line for each knob that is not the same in both. */
export function moves(before, after) {
  return Object.keys(after || {}).filter(column => before?.[column] !== after[column])
    .map(column => `${knob(column)[0]} ${before?.[column] ?? "?"} → ${after[column]}`);
}

const ACTIONS = { MITIGATE: "Mitigate", ESCALATE: "One level up", RESTORE: "Restore", STEP_DOWN: "Step down", STEP_UP: "One level up again",
  UNDO: "Undo", ENTER_MANUAL: "Manual mode", HOLD: "Hold" };
const KINDS = { start: "Agent started", stop: "Agent ended", manual: "Manual mode", resume: "Manual mode is over" };
/** What an entry of the journal is about, in a few words. */
export const title = entry => entry.kind === "decision" && entry.action === "HOLD" && entry.decision?.state ? "State " + entry.decision.state
  : ACTIONS[entry.action] || KINDS[entry.kind] || (entry.action ? entry.action.replaceAll("_", " ").toLowerCase() : entry.kind);
