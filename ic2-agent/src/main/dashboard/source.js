// SPDX-License-Identifier: Apache-2.0
// What the agent says: the stream of samples, and what was before. A stream that breaks is taken up again where it ended.

const SILENCE = 25000, SHORTEST = 500, LONGEST = 8000;
const KEY = "ic2-token";

/** An answer that is not what was asked for. */
export class Refusal extends Error {
  constructor(status, text) { super(text.trim() || "status " + status); this.status = status; }
}

export const token = {
  get: () => { try { return sessionStorage.getItem(KEY) || ""; } catch { return token.kept || ""; } },
  set: text => { token.kept = text; try { sessionStorage.setItem(KEY, text); } catch { /* a browser that keeps nothing */ } },
};

const bearer = () => token.get() ? { Authorization: "Bearer " + token.get() } : {};

async function ask(path, options = {}) {
  const answer = await fetch(path, { cache: "no-store", ...options, headers: { ...options.headers, ...bearer() } });
  if (!answer.ok) {
    const text = await answer.text();
    throw new Refusal(answer.status, saying(text));
  }
  return answer;
}

/** The words of an answer, also where it is an object. */
function saying(text) {
  try { const { text: said, warning } = JSON.parse(text); return [said, warning].filter(Boolean).join("; ") || text; } catch { return text; }
}

export const get = async (path, signal) => (await ask(path, { signal })).json();
export async function post(path, body) {
  const text = await (await ask(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } })).text();
  return saying(text);
}

/** Entries of the journal, oldest first, and the address of those before them. */
export async function entries(path, signal) {
  const answer = await ask(path, { signal });
  const link = /<([^>]*)>\s*;\s*rel="?prev"?/.exec(answer.headers.get("Link") || "");
  return { entries: await answer.json(), earlier: link ? new URL(link[1], new URL(path, location.href)).href : null };
}

/**
 * Reads the stream until the page is hidden, and again when it is looked at.
 * `on.sample`, `on.status` and `on.entry` get what comes, `on.connected` is awaited first each time, `on.lost` hears why it broke;
 * `since()` says from when on samples are missing.
 */
export class Stream {
  constructor(since, on) {
    this.since = since; this.on = on; this.wait = SHORTEST;
    document.addEventListener("visibilitychange", () => document.hidden ? this.pause() : this.resting || this.again());
    window.addEventListener("online", () => this.resting || this.again());
    this.again();
  }

  pause() { clearTimeout(this.timer); this.abort?.abort(); this.abort = null; }

  /** Connects no more until it is told to. */
  rest() { this.resting = true; this.pause(); }

  /** Connects now. */
  again() {
    this.resting = false;
    this.pause();
    if (!document.hidden) this.read(this.abort = new AbortController());
  }

  async read(abort) {
    let silence;
    const alive = () => { clearTimeout(silence); silence = setTimeout(() => abort.abort(), SILENCE); };
    let why = "the agent ended the stream";
    try {
      alive();
      await this.on.connected(abort.signal);
      if (abort.signal.aborted) return;
      const since = this.since();
      const answer = await ask("api/stream" + (since == null ? "" : "?since=" + since), { signal: abort.signal, headers: { Accept: "text/event-stream" } });
      await this.events(answer.body.getReader(), alive);
    } catch (error) { why = error; }
    clearTimeout(silence);
    if (this.abort !== abort) return;   // another one has taken its place
    this.on.lost(why);
    if (this.resting) return;
    this.timer = setTimeout(() => this.again(), this.wait * (0.8 + 0.4 * Math.random()));
    this.wait = Math.min(LONGEST, this.wait * 2);
  }

  async events(reader, alive) {
    const decoder = new TextDecoder();
    let rest = "", name = "", data = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5));
        else if (line === "" && data.length) {
          this.on[name]?.(JSON.parse(data.join("\n")));
          if (name === "sample") this.wait = SHORTEST;
          name = ""; data = [];
        }
      }
    }
  }
}
