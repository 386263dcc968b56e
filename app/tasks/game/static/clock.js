/** The time left, counted from what the server said was left: this computer's own clock may be wrong by hours. */

import { _, _n } from "./words.js";

const TICK_MS = 250;
const SAID_S = [30, 10, 5];
// What was said is taken back: a screen reader that comes by later would read an old time.
const STANDS_MS = 4000;

export const secondsOf = (ms) => Math.max(0, Math.ceil(ms / 1000));

/** `0:42` */
export const asText = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** What is said aloud when the time left goes from one number of seconds to a smaller one; mostly nothing. */
export function announcement(before, after, warnS) {
  const passed = [...SAID_S, warnS].filter((at) => before > at && after <= at && after > 0);
  if (before > 0 && after === 0) return _("The time is up.");
  return passed.length ? _n("{n} second left.", "{n} seconds left.", after) : "";
}

export class Clock {
  #element = null;
  #until = 0;
  #last = 0;
  #unsay = null;

  /** `say` speaks to screen readers; `over` is called once when nothing is left. */
  constructor(say, over) {
    this.say = say;
    this.over = over;
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** Go on from what a `[data-clock]` says; null where no time runs. */
  show(element) {
    this.#element = element;
    if (!element) return this.#say("");
    this.#until = performance.now() + Number(element.dataset.remaining);
    this.#last = secondsOf(this.#until - performance.now());
    this.#tick();
  }

  #tick() {
    if (!this.#element) return;
    const { warn, mine } = this.#element.dataset;
    const left = this.#until - performance.now();
    const seconds = secondsOf(left);
    if (seconds === this.#last && seconds > 0) return;
    this.#element.querySelector("[data-left]").textContent = asText(seconds);
    this.#element.querySelector("progress").value = seconds;
    if (mine === "yes") {
      this.#element.classList.toggle("hurry", left <= Number(warn));
      const words = announcement(this.#last, seconds, secondsOf(Number(warn)));
      if (words) this.#say(words);
    }
    const wasRunning = this.#last > 0;
    this.#last = seconds;
    if (wasRunning && seconds === 0) this.over();
  }

  #say(words) {
    clearTimeout(this.#unsay);
    this.say(words);
    this.#unsay = words ? setTimeout(() => this.say(""), STANDS_MS) : null;
  }
}
