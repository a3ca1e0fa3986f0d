// SPDX-License-Identifier: Apache-2.0
// What was measured, in steps of a minute, of ten seconds, and as it comes: one line of time for all charts.

const LIVE = 900, DAY = 86400;
/** What a sample does not carry; the steps of the history do. */
const OF_STEPS = ["response_time_max", "response_time_normal", "target_response_time", "php_active", "php_processes", "php_queue"];

export class Timeline {
  constructor() { this.clear(); }

  clear() {
    this.coarse = []; this.fine = []; this.live = [];
    this.reach = Infinity;      // from here on the history was asked for
  }

  /** Seconds between two samples. */
  interval = 1;

  get newest() { return this.live.at(-1); }
  get lastStep() { return this.fine.at(-1)?.time; }

  /** A sample that came; `known` is what was known besides when it did. True when the agent's clock was set back: what was ahead is forgotten. */
  add(sample, known = {}) {
    const last = this.newest?.time, back = sample.time < last;
    if (sample.time === last) return false;   // comes twice after a break
    if (back) this.clear();
    this.live.push(Object.assign(sample, known));
    while (this.live[0].time < sample.time - LIVE) this.live.shift();
    return back;
  }

  /** An answer of /api/history. */
  addHistory(history, since) {
    const points = history.points.map(values => Object.fromEntries(values.map((value, i) => [history.columns[i], value])));
    points.forEach(point => { point.step = history.step; });
    if (history.step < 60) this.fine = joined(this.fine, points);
    else this.coarse = joined(this.coarse, points);
    this.reach = Math.min(this.reach, since);
  }

  /** All points from a time to another and their neighbours: the finest that there are. */
  between(from, to) {
    const live = this.live.length ? this.live[0].time : Infinity;
    const fine = this.fine.filter(point => point.time + point.step <= live);
    const beginning = Math.min(live, fine.length ? fine[0].time : Infinity);
    const all = this.coarse.filter(point => point.time + point.step <= beginning).concat(fine, this.live);
    let first = all.findIndex(point => end(point) >= from), last = all.findLastIndex(point => middle(point) <= to);
    if (first < 0) return [];
    return all.slice(Math.max(0, first - 1), Math.max(last, 0) + 2);
  }

  /** Columns to draw, by name, with the times under "x", the places where nothing was measured, and the stretches of equal state. */
  columns(from, to, names) {
    const points = this.between(from, to), steps = new Map(this.fine.map(step => [step.time, step]));
    const columns = { x: [] }, stretches = [], gaps = new Set();
    const filled = names.map(name => (columns[name] = []));
    let before = null;
    for (const point of points) {
      const step = point.step || this.interval;
      const broken = before && start(point, step) - end(before, this.interval) > 2 * Math.max(step, before.step || 0) + 0.5;
      if (broken) {
        gaps.add(columns.x.length);
        columns.x.push((end(before, this.interval) + start(point, step)) / 2);
        filled.forEach(column => column.push(null));
      }
      const of = point.step ? point : steps.get(Math.floor(point.time / 10) * 10);
      columns.x.push(middle(point));
      names.forEach((name, i) => filled[i].push(point[name] ?? (OF_STEPS.includes(name) ? of?.[name] : null) ?? null));
      const open = stretches.at(-1);
      if (open && open.state === point.state && !broken) open.to = end(point, step);
      else stretches.push({ from: start(point, step), to: end(point, step), state: point.state });
      before = point;
    }
    return { columns, stretches, gaps };
  }

  /** How long the newest sample's side has lasted, and whether it may have begun before what is known. */
  since(side) {
    const all = this.between(0, Infinity), newest = all.at(-1);
    if (!newest) return null;
    let i = all.length - 1;
    while (i > 0 && side(all[i - 1].state) === side(newest.state) && all[i].time - end(all[i - 1], this.interval) < 120) i--;
    return { seconds: newest.time - start(all[i], this.interval), open: i === 0 };
  }

  /** What is older than a day goes. */
  trim() {
    const now = this.newest?.time ?? 0;
    this.fine = this.fine.filter(point => point.time > now - DAY);
    this.coarse = this.coarse.filter(point => point.time > now - DAY - 60);
  }
}

/** Where a point's time begins: a step is named by its beginning, a sample by its end. */
const start = (point, interval) => point.step ? point.time : point.time - interval;
const end = (point, interval) => point.step ? point.time + point.step : point.time;
const middle = point => point.step ? point.time + point.step / 2 : point.time;

/** Both in their order, of the same time the later answer's. */
function joined(old, fresh) {
  if (!fresh.length) return old;
  const first = fresh[0].time, last = fresh.at(-1).time;
  return old.filter(point => point.time < first).concat(fresh, old.filter(point => point.time > last));
}
