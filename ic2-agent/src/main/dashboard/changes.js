// SPDX-License-Identifier: Apache-2.0
// Restore, Pause, Resume: asked for with a token, and done only after a person has confirmed it.
import { Refusal, post, token } from "./source.js";
import { element } from "./words.js";

const CHANGES = {
  restore: { title: "Restore the baseline", does: "Restore", timed: true,
    text: "The values that are best without interference are put back now, and the agent changes nothing more until it is resumed or the time is over." },
  pause: { title: "Pause the agent", does: "Pause", timed: true,
    text: "What runs now stays as it is, and the agent changes nothing more until it is resumed or the time is over." },
  resume: { title: "Resume", does: "Resume", timed: false, text: "Manual mode is over: the agent finds out what runs and decides again." },
};

const byId = id => document.getElementById(id);

export class Changes {
  /** `done` is called when the agent has done it. */
  constructor(done) {
    this.done = done;
    this.buttons = Object.fromEntries(Object.entries(CHANGES).map(([verb, { does }]) => {
      const button = element("button", { type: "button", id: verb }, does + " …");
      button.addEventListener("click", () => this.ask(verb));
      return [verb, button];
    }));
    byId("changes").append(...Object.values(this.buttons));
    byId("confirm-cancel").addEventListener("click", () => byId("confirm").close());
    byId("confirm-form").addEventListener("submit", event => { event.preventDefault(); this.send(); });
  }

  show(status) {
    const manual = status.state === "MANUAL";
    this.buttons.resume.hidden = !manual;
    this.buttons.pause.hidden = manual;
  }

  ask(verb) {
    this.verb = verb;
    const { title, text, does, timed } = CHANGES[verb];
    byId("confirm-title").textContent = title;
    byId("confirm-text").textContent = text;
    byId("confirm-do").textContent = does;
    byId("confirm-duration").hidden = !timed;
    byId("confirm-answer").textContent = "";
    byId("duration").value = "";
    byId("token").value = token.get();
    byId("confirm").showModal();
    byId(timed ? "duration" : "token").focus();
  }

  /** Asks for the token alone, which reading needs, too, beyond this machine. */
  askToken(then) {
    if (byId("confirm").open) return;
    this.verb = null; this.then = then;
    byId("confirm-title").textContent = "This agent wants a token";
    byId("confirm-text").textContent = "It is asked from another machine.";
    byId("confirm-do").textContent = "Look";
    byId("confirm-duration").hidden = true;
    byId("confirm-answer").textContent = token.get() ? "The agent does not take this token." : "";
    byId("token").value = "";
    byId("confirm").showModal();
    byId("token").focus();
  }

  async send() {
    const answer = byId("confirm-answer"), time = byId("duration").value.trim();
    token.set(byId("token").value.trim());
    if (!this.verb) { byId("confirm").close(); this.then(); return; }
    byId("confirm-do").disabled = true;
    answer.textContent = "asking the agent …";
    try {
      const said = await post("api/" + this.verb, CHANGES[this.verb].timed && time ? { for: time } : {});
      byId("confirm").close();
      this.done(said);
    } catch (error) {
      answer.textContent = !(error instanceof Refusal) ? "No answer from the agent: " + error.message
        : error.status === 401 ? "The agent does not take this token." : "The agent refused: " + error.message;
      if (error.status === 401) byId("token").select();
    } finally { byId("confirm-do").disabled = false; }
  }
}
