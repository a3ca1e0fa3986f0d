// SPDX-License-Identifier: Apache-2.0
// What the agent did: its journal as a list, and for each action why, from what numbers, and what came of it.
import { clock, element, knob, moves, number, term, title } from "./words.js";

const BACK = ["RESTORE", "STEP_DOWN", "UNDO", "restore"];
const OUTCOMES = { applied: "done", failed: "failed", refused: "refused" };
const KEPT = 2000;

/** The journal's entries; those of one change are one action. */
export class Journal {
  constructor() { this.entries = new Map(); this.list = []; this.before = null; }

  /** Where the entries before those that are known are; null when there are none, or no more are kept. */
  get earlier() { return this.entries.size < KEPT ? this.before : null; }
  set earlier(address) { this.before = address; }

  /** Whether there are entries that are not kept. */
  get cut() { return this.entries.size >= KEPT && (this.dropped || this.before != null); }

  /** Epoch seconds of the first entry that is known. */
  get oldest() { return this.list[0]?.time ?? Infinity; }

  /** Takes entries in, in any order; true if one of them is new. */
  add(entries) {
    let fresh = false;
    for (const entry of entries) {
      const key = [entry.time, entry.kind, entry.id, entry.reason].join(" ");
      if (this.entries.has(key)) continue;
      fresh = true;
      this.entries.set(key, entry);
    }
    if (fresh) this.list = this.actions();
    return fresh;
  }

  actions() {
    const sorted = [...this.entries].sort(([, a], [, b]) => a.time < b.time ? -1 : a.time > b.time ? 1 : 0);
    if (sorted.length > KEPT) {
      sorted.splice(0, sorted.length - KEPT).forEach(([key]) => this.entries.delete(key));
      this.dropped = true;
    }
    const made = [], open = new Map();
    for (const [key, entry] of sorted) {
      const change = ["intent", "applied", "failed", "refused"].includes(entry.kind);
      const begun = change && entry.kind !== "intent" ? open.get(entry.id) : null;
      if (begun) {
        begun.outcome = entry;
        open.delete(entry.id);
        Object.assign(begun, look(begun.entry, entry));
        continue;
      }
      const action = { key, entry, outcome: change && entry.kind !== "intent" ? entry : null, time: Date.parse(entry.time) / 1000,
        title: title(entry), reason: entry.reason || entry.problem || "", ...look(entry, change && entry.kind !== "intent" ? entry : null) };
      if (entry.kind === "intent") open.set(entry.id, action);
      made.push(action);
    }
    return made;
  }

  /** Those that belong on the axis: what was done or advised, and whether manual mode was on. */
  marks() { return this.list.filter(action => action.glyph); }
}

/** Kind and sign of an action, for colours and for who sees none. */
function look(entry, outcome) {
  if (outcome && outcome.kind !== "applied") return { kind: "failed", glyph: "✕" };
  if (entry.kind === "manual" || entry.origin === "person" || entry.origin === "by-hand") return { kind: "person", glyph: "●" };
  if (entry.kind === "resume") return { kind: "person", glyph: "○" };
  if (entry.kind === "start" || entry.kind === "stop") return { kind: "life", glyph: entry.kind === "start" ? "┃" : "■" };
  if (entry.kind === "intent" || outcome) return BACK.includes(entry.action) ? { kind: "back", glyph: "▼" } : { kind: "away", glyph: "▲" };
  if (entry.kind === "decision" && entry.action && entry.action !== "HOLD") return { kind: "advice", glyph: "◇" };
  return { kind: "note", glyph: "" };
}

/** What came of it, in words. */
function outcome({ entry, outcome: end }) {
  if (end) {
    return (OUTCOMES[end.kind] || end.kind) + (end.millis != null ? ` in ${end.millis} ms` : "") + (end.problem ? ": " + end.problem : "")
      + (end.rolled_back ? "; what ran before runs again" : "") + (end.left_out ? "; left out: " + end.left_out : "");
  }
  if (entry.kind === "intent") return "begun, no outcome yet";
  return entry.kind === "decision" ? `nothing was applied${entry.mode ? " (mode " + entry.mode + ")" : ""}` : "";
}

/** The list, newest first. */
export function showList(journal, list, shown, open) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  list.replaceChildren(...journal.list.slice(-shown).reverse().map(action => {
    const button = element("button", { type: "button", class: "event " + action.kind, "data-key": action.key },
      element("span", { class: "glyph", "aria-hidden": "true" }, action.glyph || "·"),
      element("span", { class: "what" }, element("time", {}, clock(action.time)), " ", element("strong", {}, action.title),
        action.outcome ? element("em", {}, " " + (OUTCOMES[action.outcome.kind] || "")) : null),
      element("span", { class: "why" }, action.reason));
    button.addEventListener("click", () => open([action]));
    return element("li", {}, button);
  }));
  if (focused) [...list.querySelectorAll("button")].find(button => button.dataset.key === focused)?.focus();
}

const part = (name, ...content) => element("section", {}, element("h3", {}, name), ...content);
const list = (tag, items) => element(tag, {}, ...items.map(item => element("li", {}, item)));

/** All of one action, or of several one after the other. */
export function showActions(actions, config, dialog) {
  const body = dialog.querySelector("#decision-body");
  dialog.querySelector("#decision-title").textContent = actions.length === 1 ? actions[0].title : `${actions.length} actions`;
  body.replaceChildren(...actions.flatMap(action => [
    actions.length > 1 ? element("h2", { class: "one" }, action.title) : null, ...details(action, config)]).filter(Boolean));
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("#decision-title").focus();
}

function details(action, config) {
  const { entry } = action, decision = entry.decision || {}, numbers = decision.numbers || {};
  const changed = moves(decision.current || entry.before, decision.desired || entry.desired);
  const tests = path(decision), evidence = (decision.evidence || []).filter(text => !text.startsWith("tree: "));
  const came = outcome(action), formula = formulas(decision, config), step = levelStep(numbers);
  return [
    element("p", { class: "when" }, [clock(action.time, true), entry.id, decision.scenario].filter(Boolean).join(" · ")),
    element("p", {}, action.reason),
    decision.situation ? element("p", { class: "help" }, "Situation: " + decision.situation) : null,
    changed.length ? part("Change", list("ul", changed)) : null,
    came ? part("Outcome", element("p", { class: "outcome " + action.kind }, came)) : null,
    decision.state ? part("State", element("p", {}, term(decision.before), " → ", term(decision.state),
      decision.believed ? ` (label ${words(decision.believed)}` + (decision.tree && decision.tree !== decision.believed ? `; the tree says ${words(decision.tree)}` : "") + ")" : "")) : null,
    tests.length ? part("The tree's path", list("ol", tests)) : null,
    formula.length || step.length ? part("The formula, with its numbers", ...formula, ...step) : null,
    decision.rules?.length ? part("Rules", list("ul", decision.rules)) : null,
    evidence.length ? part("Evidence", list("ul", evidence)) : null,
    Object.keys(numbers).length ? element("details", {}, element("summary", {}, "All numbers"), table(Object.entries(numbers).map(([name, value]) => [name, number(value)]))) : null,
  ];
}

const words = label => label.toLowerCase().replaceAll("_", " ");

/** The tests of the tree that led to its label. */
function path(decision) {
  const said = (decision.evidence || []).find(text => text.startsWith("tree: "));
  return said ? [...said.slice(6).split(", "), decision.tree ? "so: " + words(decision.tree) : null].filter(Boolean) : [];
}

/** Algorithm 1, as it was computed for each lever: the rule's formula, the numbers in it, and what the bounds made of it. */
function formulas(decision, config) {
  const numbers = decision.numbers || {};
  return Object.keys(decision.desired || {}).filter(column => numbers[`algorithm.${column}.base`] != null).map(column => {
    const of = name => numbers[`algorithm.${column}.${name}`], unit = knob(column)[1];
    const rule = (decision.rules || []).map(id => config?.rules?.[id]?.[column]).find(Boolean);
    const target = of("base") + of("delta");
    return element("div", { class: "formula" }, element("strong", {}, knob(column)[0]),
      element("code", {}, (rule ? rule + "\n" : "") + (rule ? filledIn(rule, numbers, of("base")) + "\n" : "")
        + `${number(of("base"))} ${of("delta") < 0 ? "−" : "+"} ${number(Math.abs(of("delta")))} = ${number(target, unit)}`
        + (of("bounded") !== target ? `, within the bounds and whole: ${number(of("bounded"), unit)}` : "")));
  });
}

/** A rule's formula with the numbers in place of the names. */
function filledIn(rule, numbers, base) {
  const values = { LPO_ni: numbers["median.load_per_operation"], RT_ni: numbers["median.response_time"], THPT_ni: numbers["median.throughput"],
    LPO: numbers.load_per_operation, RT: numbers.response_time, THPT: numbers.throughput, base };
  return rule.replace(/\b(LPO_ni|RT_ni|THPT_ni|LPO|RT|THPT|base)\b/g, name => values[name] == null ? name : String(+values[name].toPrecision(4)));
}

/** How the level was chosen: what is asked for, what it takes there, what is left. */
function levelStep(numbers) {
  const of = name => numbers["step." + name];
  if (of("level") == null || of("wanted") == null) return [];
  return [element("div", { class: "formula" }, element("strong", {}, knob("mitigation")[0]),
    element("code", {}, "requests wanted x CPU of a request x what the level leaves of it <= CPU that may be needed\n"
      + `${number(of("wanted"), "/s")} x ${number(of("cpu_per_operation"), "s")} x ${number(of("relief"))} = ${number(of("cpu_needed"))}`
      + ` ${of("cpu_needed") <= of("cpu_limit") ? "<=" : ">"} ${number(of("cpu_limit"))} (of ${number(of("cpu_left"))} that is left): level ${of("level")}`
      + (of("response_time") > 0 ? `, response time ${number(of("response_time"), "s")}` : "")))];
}

export function table(rows, head) {
  return element("table", {}, head ? element("thead", {}, element("tr", {}, ...head.map(text => element("th", { scope: "col" }, text)))) : null,
    element("tbody", {}, ...rows.map(([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, name), ...cells.map(cell => element("td", {}, cell))))));
}
