/**
 * What is recorded of reading one record or text, over reloads: docs/data.md holds the meaning of each field. What
 * follows from it is decided by the server.
 *
 * Every tick is added up: the time since the last one, what of the stimulus was in view then, and how far down it that
 * was. The time between two loads of the page counts for nothing.
 */

const HALF = 0.5;
// A page in sight that stood still for longer was asleep with its machine, and nobody read it.
const LONGEST_TICK_MS = 5_000;

/** Whether so much of a part is in view that it can be read: half of it, or half the window where it is larger. */
export function isInView({ top, bottom }, height) {
  const shown = Math.min(bottom, height) - Math.max(top, 0);
  return shown >= 0 && shown >= HALF * Math.min(bottom - top, height);
}

/** Which share of the stimulus, from its top on, has come into view: in thousandths, as a number from 0 to 1. */
export function depthOf({ top, bottom }, height) {
  if (bottom <= top) return 0;
  const share = (height - top) / (bottom - top);
  return Math.round(1000 * Math.min(Math.max(share, 0), 1)) / 1000;
}

const isTimes = (value, n) => Array.isArray(value) && value.length === n && value.every(Number.isFinite);

export class ReadingRecord {
  #store;
  #name;
  #last;
  #data;
  #rtMs;

  /**
   * `n` parts; `now` is the time of a clock that nobody can set. What an earlier load has saved is in the store, under
   * `name`.
   */
  constructor(store, n, now, name = "reading") {
    const kept = store.get(name);
    const saved = kept?.v === 1 && isTimes(kept.parts, n) ? kept : {};
    this.#store = store;
    this.#name = name;
    this.#last = now;
    this.#rtMs = store.get("rt_ms") ?? 0;
    this.#data = {
      loads: (saved.loads ?? 0) + 1,
      read_ms: saved.read_ms ?? 0,
      hidden_ms: saved.hidden_ms ?? 0,
      depth: saved.depth ?? 0,
      layout: null,
      parts: saved.parts ?? Array.from({ length: n }, () => 0),
    };
  }

  get rtMs() {
    return Math.round(this.#rtMs);
  }

  /** Since the last tick the page was as `seen` says: hidden, or with these parts (by number) in view, so far down. */
  tick(now, { hidden, parts, depth, layout }) {
    const ms = Math.max(now - this.#last, 0);
    const data = this.#data;
    this.#last = now;
    this.#rtMs += ms;
    data.layout = layout;
    const visible = hidden ? 0 : Math.min(ms, LONGEST_TICK_MS);
    data.hidden_ms += ms - visible;
    if (hidden) return;
    data.read_ms += visible;
    for (const part of parts) data.parts[part] += visible;
    data.depth = Math.max(data.depth, depth);
  }

  toJSON() {
    const { loads, read_ms, hidden_ms, depth, layout, parts } = this.#data;
    return {
      v: 1,
      loads,
      read_ms: Math.round(read_ms),
      hidden_ms: Math.round(hidden_ms),
      depth,
      layout,
      parts: parts.map(Math.round),
    };
  }

  save() {
    this.#store.set({ [this.#name]: this.toJSON(), rt_ms: this.rtMs });
  }
}
