/** What a poll tells, by one stream of server-sent events; by polls as soon as that does not work. */

import { Poll } from "./poll.js";

// A stream that does not open within this time is held back by something on the way.
const OPEN_MS = 6_000;
const MOST_FAILURES = 2;

export class Events {
  #version;
  #source = null;
  #poll = null;
  #timer;
  #failures = 0;

  /** As for polls. */
  constructor(address, version, on) {
    this.address = address;
    this.on = on;
    this.#version = version;
  }

  start() {
    this.#source = new EventSource(`${this.address}/events?after=${encodeURIComponent(this.#version)}`);
    this.#hold();
    this.#source.addEventListener("here", () => this.#opened());
    this.#source.addEventListener("message", ({ data }) => this.#heard(JSON.parse(data)));
    // The browser opens the next stream by itself, and names the last event that it had.
    this.#source.addEventListener("error", () => {
      this.#failures += 1;
      this.#hold();
      if (this.#source.readyState === EventSource.CLOSED || this.#failures >= MOST_FAILURES) this.#fallBack();
    });
  }

  /** Ask now, whatever is known. */
  now() {
    if (this.#poll) return this.#poll.now();
    this.stop();
    this.#version = "";
    this.start();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#poll?.stop();
  }

  #opened() {
    clearTimeout(this.#timer);
    this.#failures = 0;
  }

  #hold() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fallBack(), OPEN_MS);
  }

  #heard(data) {
    this.#opened();
    if (data.reload) {
      this.stop();
      this.on.gone();
    } else if (data.version !== this.#version) {
      this.#version = data.version;
      this.on.state(data);
    }
  }

  #fallBack() {
    this.stop();
    this.#poll = new Poll(this.address, this.#version, this.on);
    this.#poll.start();
  }
}
